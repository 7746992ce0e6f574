import { CloseButton, Combobox, Group, Kbd, Loader, Text, TextInput, useCombobox } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { Ban, MonitorSmartphone, Search, Store } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ASKED, useLoadedEstate } from '../estate/loadedEstate.ts';
import { type ListedBranch, nameOf, UNNAMED } from '../resources/data.ts';
import { paths } from '../resources/paths.ts';
import { Found } from '../search/Found.tsx';
import { ScanButton } from '../search/ScanButton.tsx';
import { SEARCH_FAILED, useFirstOption, useSearch } from '../search/useSearch.ts';
import { formatDay, formatNumber, formatRelative } from '../shared/format.ts';
import { SEARCH_KEYS, useKeys } from '../shared/hotkeys.ts';
import { marksIn } from '../shared/marksIn.ts';
import { useScans } from '../shared/scan.ts';
import { isSearchable, UNSEARCHABLE } from '../shared/searchedText.ts';
import { useNow } from '../shared/Time.tsx';
import { useCommands } from './commands.ts';

/** What is enough to find something, without the estate and with it. */
const PARTS = [
  'Type a whole ID or serial number, or the beginnings of the words of a name.',
  'Type a part of an ID or serial number, or the beginnings of words of a branch.',
];

/** How request ids look. Those of terminals and branches may look the same. */
const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const activeFirst = <Thing extends { status: string }>(things: Thing[]): Thing[] =>
  [...things].sort((one, other) => Number(one.status === 'archived') - Number(other.status === 'archived'));

/** Where a branch is, and what else of it was typed. */
function placeOf(branch: ListedBranch, text: string): string {
  const { merchant_name, city, mid, area, master_merchant_name, master_merchant_id } = branch;
  const isIn = (word: string) => (each: string | null) => each !== null && marksIn(each, word).length > 0;
  const unseen = text.split(/\s+/).filter((word) => ![merchant_name, city, mid].some(isIn(word)));
  const others = [area, master_merchant_name, master_merchant_id].filter((each) =>
    unseen.some((word) => isIn(word)(each)),
  );
  return [city, mid, ...others].filter(Boolean).join(' · ');
}

const seenText = (at: string | null, now: number): string =>
  at === null ? 'never seen' : `last seen ${formatRelative(at, now)}`;

/** Terminals that the estate finds at once, if it is loaded, and how many there are; those of an earlier text until then. */
function useAtOnce(text: string) {
  const estate = useLoadedEstate();
  const { data, isFetching } = useQuery({
    queryKey: [estate?.acquirer, 'estate', 'byPart', text, estate?.version],
    queryFn: estate ? async ({ signal }) => ({ text, ...(await estate.ask('byPart', text, signal)) }) : skipToken,
    ...ASKED,
  });
  const found = estate && data;
  return {
    isLoaded: estate !== undefined,
    isOutdated: isFetching && data?.text !== text,
    terminals: (found?.rows ?? []).map(({ terminal, branch }) => ({
      ...terminal,
      branch: branch ?? { mid: terminal.mid, merchant_name: null },
    })),
    total: found?.total ?? 0,
  };
}

/**
 * The one box by which everything is found, and a command menu. `/` and Ctrl K lead to it from everywhere, and a scan
 * is searched for. Commands are above things, which come later, so that none moves away from under a click. Enter takes
 * the command whose words are typed in full, otherwise the first thing, otherwise the first command.
 */
export function SearchBox({ onSignOut }: { onSignOut: (everywhere: boolean) => void }) {
  const [text, setText] = useState('');
  const [location, navigate] = useLocation();
  const now = useNow();
  const input = useRef<HTMLInputElement>(null);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const { data: latest, error, isFetching, isOutdated } = useSearch(text);
  const isTyped = text.trim() !== '';
  const data = isTyped ? latest : undefined;
  const atOnce = useAtOnce(text);
  const { commands, exact } = useCommands(text, onSignOut);
  const focus = () => {
    input.current?.focus();
    input.current?.select();
    combobox.openDropdown();
  };
  useKeys({ 'mod+k': focus, '/': focus });

  // On the first view there is nothing else to do.
  useEffect(() => {
    if (location === '/') input.current?.focus();
  }, [location]);

  const { onEnter, awaited } = useFirstOption(
    combobox,
    text,
    exact !== -1 || (!atOnce.isOutdated && (atOnce.total > 0 || (data !== undefined && !isOutdated))),
    exact === -1 ? commands.length : exact,
  );
  const scanned = (code: string) => {
    setText(code);
    focus();
    awaited.current = code;
  };
  useScans(input, scanned);

  const open = (path: string) => {
    setText('');
    combobox.closeDropdown();
    input.current?.blur();
    const { onClick = () => navigate(path) } = commands.find((command) => command.path === path) ?? {};
    onClick();
  };

  // The estate's come first and stay, so that none moves away from under a click. Outdated ones do not follow them.
  const later = isOutdated && atOnce.total > 0 ? [] : (data?.terminals ?? []);
  const isKnown = (tid: string) => atOnce.terminals.some((each) => each.tid === tid);
  const terminals = [...atOnce.terminals, ...later.filter(({ tid }) => !isKnown(tid))];
  const released = data?.released ?? [];
  const found = terminals.length + released.length + (data?.branches.length ?? 0) > 0;
  const requestId = data && !isOutdated && !found ? REQUEST_ID.exec(text.trim())?.[0].toLowerCase() : undefined;
  const nothing = !isSearchable(text)
    ? UNSEARCHABLE
    : `Nothing found for “${text.trim()}”. ${PARTS[Number(atOnce.isLoaded)]}`;
  return (
    <Combobox store={combobox} onOptionSubmit={open} withinPortal shadow="md" width="target">
      <Combobox.Target withExpandedAttribute>
        <TextInput
          ref={input}
          role="combobox"
          type="search"
          value={text}
          size="md"
          aria-label="Find a terminal or a branch"
          placeholder="Terminal ID, serial number, MID, or words of a branch"
          leftSection={isFetching && isTyped ? <Loader size={16} /> : <Search size={16} />}
          rightSectionWidth={isTyped ? 36 : 64}
          rightSection={
            isTyped ? (
              <CloseButton size="sm" aria-label="Clear" onClick={() => setText('')} />
            ) : (
              <>
                <Kbd size="xs" visibleFrom="sm" aria-hidden>
                  {SEARCH_KEYS.join(' ')}
                </Kbd>
                <ScanButton onScan={([code = '']) => scanned(code)} />
              </>
            )
          }
          onChange={(event) => {
            const typed = event.currentTarget.value;
            setText(typed);
            if (typed.trim() === '') combobox.closeDropdown();
            else combobox.openDropdown();
          }}
          onFocus={() => isTyped && combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setText('');
            onEnter(event);
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options mah="min(420px, 60vh)" className="scrolls">
          {[...Map.groupBy(commands, ({ group }) => group)].map(([group, offered]) => (
            <Combobox.Group key={group} label={group}>
              {offered.map(({ path, label, icon: Icon }) => (
                <Combobox.Option key={path} value={path}>
                  <Group gap="sm">
                    <Icon size={16} />
                    {label}
                  </Group>
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
          {terminals.length > 0 && (
            <Combobox.Group label="Terminals">
              {terminals.map(({ tid, terminal_id, serial_no, terminal_model, status, branch, last_seen_at }) => (
                <Combobox.Option key={tid} value={paths.terminal(tid)}>
                  <Found
                    icon={<MonitorSmartphone size={16} />}
                    name={terminal_id}
                    place={[
                      serial_no && marksIn(serial_no, text).length > 0 && `serial number ${serial_no}`,
                      terminal_model,
                      `at ${nameOf(branch)}`,
                      status === 'active' && seenText(last_seen_at, now),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                    status={status}
                    typed={text}
                    isId
                  />
                </Combobox.Option>
              ))}
              {atOnce.total > atOnce.terminals.length && (
                <Combobox.Option value={`/terminals?${new URLSearchParams({ q: text.trim() })}`}>
                  <Text span c="dimmed" inherit>
                    Show all {formatNumber(atOnce.total)} terminals
                  </Text>
                </Combobox.Option>
              )}
            </Combobox.Group>
          )}
          {released.length > 0 && (
            <Combobox.Group label="Released serial number">
              {released.map(({ tid, terminal_id, until }) => (
                <Combobox.Option key={tid} value={paths.terminal(tid)}>
                  <Found
                    icon={<MonitorSmartphone size={16} />}
                    name={`Released on ${formatDay(until)}`}
                    place={`by terminal ${terminal_id}`}
                    typed=""
                  />
                </Combobox.Option>
              ))}
            </Combobox.Group>
          )}
          {data && data.branches.length > 0 && (
            <Combobox.Group label="Branches">
              {activeFirst(data.branches).map((branch) => (
                <Combobox.Option key={branch.mid} value={paths.branch(branch.mid)}>
                  <Found
                    icon={<Store size={16} />}
                    name={branch.merchant_name ?? UNNAMED}
                    place={placeOf(branch, text)}
                    status={branch.status}
                    typed={text}
                  />
                </Combobox.Option>
              ))}
            </Combobox.Group>
          )}
          {requestId && (
            <Combobox.Option value={paths.request(requestId)}>
              <Found icon={<Ban size={16} />} name={requestId} place="Refused request" typed="" isId />
            </Combobox.Option>
          )}
          {data && data.total_branches > data.branches.length && (
            <Combobox.Option value={`/branches?${new URLSearchParams({ search: text.trim() })}`}>
              <Text span c="dimmed" inherit>
                Show all {formatNumber(data.total_branches)} branches
              </Text>
            </Combobox.Option>
          )}
        </Combobox.Options>
        {data?.warnings?.map(({ detail }) => (
          <Text key={detail} size="sm" c="dimmed" px="sm" py="xs" role="status">
            {detail}
          </Text>
        ))}
        {!found && !requestId && (error || commands.length === 0) && (
          <Combobox.Empty className="wraps" role="status">
            {error ? SEARCH_FAILED : data && !isOutdated ? nothing : 'Searching…'}
          </Combobox.Empty>
        )}
      </Combobox.Dropdown>
    </Combobox>
  );
}
