import { ActionIcon, Button, Group, Menu, Paper, Text } from '@mantine/core';
import { Archive, ArrowRight, Ellipsis, RotateCcw, X } from 'lucide-react';
import type { Format } from '../../bulk/export.ts';
import { FormatItems } from '../../jobs/ExportButton.tsx';
import { useMay } from '../../session/session.ts';
import { formatNumber } from '../../shared/format.ts';
import { ACTIONS, type Action } from './ChangeDialog.tsx';
import { MOST_SELECTED } from './useSelection.ts';

const BUTTONS = [
  ['move', ArrowRight],
  ['archive', Archive],
  ['restore', RotateCcw],
] as const;
const ITEMS: Action[] = ['app', 'acquirer'];

/** Prints after the menu is gone, once what is printed is there. */
const print = (isReady: () => boolean) => setTimeout(() => (isReady() ? window.print() : print(isReady)), 200);
const ready = () => true;

/**
 * Prints what the page lists, in a menu.
 *
 * @param onSheet Prepares the sheet of a technician, which is printed then.
 */
export const PrintItems = ({ onSheet, isReady = ready }: { onSheet?: () => void; isReady?: () => boolean }) => (
  <>
    <Menu.Item onClick={() => print(isReady)}>Print</Menu.Item>
    {onSheet && (
      <Menu.Item
        onClick={() => {
          onSheet();
          print(isReady);
        }}
      >
        Print for a technician
      </Menu.Item>
    )}
  </>
);

export function SelectionBar({
  count,
  all,
  isNarrow,
  onAll,
  isOnly,
  onOnly,
  onAction,
  onSave,
  onSheet,
  onClear,
}: {
  count: number;
  /** How many are shown, of which all can be selected. */
  all: number;
  onAll: () => void;
  isNarrow: boolean;
  isOnly: boolean;
  onOnly: (isOnly: boolean) => void;
  onAction: (action: Action) => void;
  onSave: (format: Format) => void;
  onSheet: () => void;
  onClear: () => void;
}) {
  const mayChange = useMay('change');
  const most = Math.min(all, MOST_SELECTED);
  const allText = `Select ${most < all ? `the first ${formatNumber(most)}` : `all ${formatNumber(most)}`}`;
  const isMore = !isOnly && count < most;
  const onlyText = isOnly ? 'Show all' : 'Show only these';
  return (
    <Paper className="selection-bar" shadow="md" role="group" aria-label="Selected terminals">
      <ActionIcon size="lg" aria-label="Clear the selection" onClick={onClear}>
        <X size={16} />
      </ActionIcon>
      <Text fw={600} role="status" className="wraps">
        {formatNumber(count)} selected
      </Text>
      {!isNarrow && (
        <>
          {isMore && (
            <Button variant="subtle" size="compact-md" onClick={onAll}>
              {allText}
            </Button>
          )}
          <Button variant="subtle" size="compact-md" onClick={() => onOnly(!isOnly)} aria-pressed={isOnly}>
            {onlyText}
          </Button>
        </>
      )}
      <Group gap="sm" ml="auto" wrap="nowrap">
        {!isNarrow &&
          mayChange &&
          BUTTONS.map(([action, Icon]) => (
            <Button key={action} variant="default" leftSection={<Icon size={16} />} onClick={() => onAction(action)}>
              {ACTIONS[action].label}
            </Button>
          ))}
        <Menu position="top-end">
          <Menu.Target>
            {isNarrow ? (
              <Button size="md">Actions</Button>
            ) : (
              <Button variant="default" px="sm" aria-label="More actions">
                <Ellipsis size={16} />
              </Button>
            )}
          </Menu.Target>
          <Menu.Dropdown>
            {mayChange &&
              (isNarrow ? [...BUTTONS.map(([action]) => action), ...ITEMS] : ITEMS).map((action) => (
                <Menu.Item key={action} onClick={() => onAction(action)}>
                  {ACTIONS[action].label}
                </Menu.Item>
              ))}
            <FormatItems onExport={onSave} />
            <PrintItems onSheet={onSheet} />
            {isNarrow && isMore && <Menu.Item onClick={onAll}>{allText}</Menu.Item>}
            {isNarrow && <Menu.Item onClick={() => onOnly(!isOnly)}>{onlyText}</Menu.Item>}
          </Menu.Dropdown>
        </Menu>
      </Group>
    </Paper>
  );
}
