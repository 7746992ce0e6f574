import type { Keyring } from '../../../../lib/acquirers/keyring.ts';
import { toShownKey } from '../../../../lib/acquirers/shownKey.ts';
import { UUID } from '../../../../lib/base/mid.ts';
import { toBranch } from '../../../../lib/branches/branch.ts';
import { type MasterMerchant, toMasterMerchant } from '../../../../lib/branches/masterMerchant.ts';
import type { FoundPerson } from '../../../../lib/operator/people.ts';
import { type TerminalInBranch, toTerminal } from '../../../../lib/terminals/terminal.ts';
import { namesOfAcquirers, similarAcquirers } from '../acquirerNames.ts';
import type { Group } from '../command.ts';
import type { NameOf } from '../eventText.ts';
import type { FoundKey } from '../finders.ts';
import { identifier } from '../import/memberRow.ts';
import { argument } from '../input.ts';
import { acquirerDocument, columns, list } from '../output.ts';
import { Stop } from '../stop.ts';
import type { Target } from '../target.ts';
import { lastUse } from './keys.ts';

const HELP = `
<text> is a TID, terminal_id, serial number, MID, master_merchant_id, name or id of an acquirer, id of an API key or
person, or request id. Prints everything that has it. Ids are case-sensitive, except UUIDs. Names are not. A request id is not stored:
prints how to find it in the logs.
With --json, prints [{ "type", "data" }], with the branch of a terminal as "branch".

Examples:
  $ npm run operator -- find <tid> --stage prod
  $ npm run operator -- find 'Northgate Distribution' --stage prod`;

/** A found thing: its JSON document, and its text as a title with named values. */
interface Shown {
  document: { type: string; data: unknown; branch?: Branch };
  title: string;
  rows: [name: string, value: string | null | undefined][];
}

type Branch = ReturnType<typeof toBranch>;

const statusText = ({ status, archived_at }: Pick<Branch, 'status' | 'archived_at'>, reason?: string | null): string =>
  archived_at ? `archived since ${archived_at}${reason ? `: ${reason}` : ''}` : status;

const acquirersIn = ({ payment_provider, distributor }: Branch, nameOf: NameOf): Shown['rows'] => [
  ['payment provider', nameOf(payment_provider)],
  ['distributor', distributor && nameOf(distributor)],
];

function shownTerminal(found: TerminalInBranch, nameOf: NameOf): Shown {
  const [terminal, branch] = [toTerminal(found), toBranch(found.branch)];
  const place = [branch.mid, branch.merchant_name, branch.city].filter(Boolean).join(', ');
  return {
    document: { type: 'terminal', data: terminal, branch },
    title: `Terminal ${terminal.terminal_id}`,
    rows: [
      ['tid', terminal.tid],
      ['serial number', terminal.serial_no],
      ['model', terminal.terminal_model],
      ['status', statusText(terminal, terminal.archive_reason)],
      ['branch', branch.status === 'active' ? place : `${place} (${branch.status})`],
      ...acquirersIn(branch, nameOf),
      ['payment app', terminal.payment_app],
      ['master acquirer', terminal.acquirer_name],
      ['created', terminal.created_at],
      ['updated', terminal.updated_at],
    ],
  };
}

const shownBranch = (branch: Branch, nameOf: NameOf): Shown => ({
  document: { type: 'branch', data: branch },
  title: `Branch ${branch.mid}`,
  rows: [
    ['name', branch.merchant_name],
    ['city', branch.city],
    ['status', statusText(branch)],
    ['terminals', String(branch.terminal_count)],
    ['master merchant', [branch.master_merchant_id, branch.master_merchant_name].filter(Boolean).join(', ')],
    ...acquirersIn(branch, nameOf),
    ['created', branch.created_at],
    ['updated', branch.updated_at],
  ],
});

const shownMasterMerchant = (found: MasterMerchant, nameOf: NameOf): Shown => ({
  document: { type: 'master_merchant', data: toMasterMerchant(found) },
  title: `Master merchant ${found.master_merchant_id}`,
  rows: [
    ['uuid', found.uuid],
    ['name', found.name],
    ['payment provider', nameOf(found.payment_provider)],
  ],
});

const shownAcquirer = (found: Keyring): Shown => ({
  document: { type: 'acquirer', data: acquirerDocument(found) },
  title: `Acquirer ${found.name}`,
  rows: [
    ['id', found.id],
    ['type', found.type],
    ['created', found.created_at],
    ['disabled', found.disabled_at],
    ['API keys', String(found.api_keys?.length ?? 0)],
  ],
});

function shownKey({ key_id, acquirer, ...found }: FoundKey, nameOf: NameOf): Shown {
  const { label } = 'key' in found ? found.key : found.last.details;
  let data: object;
  let rows: Shown['rows'];
  if ('key' in found) {
    const { key, disabled_at } = found;
    data = { ...toShownKey(key), acquirer_disabled_at: disabled_at ?? null };
    rows = [
      ['status', disabled_at && `refused: its acquirer has been disabled since ${disabled_at}`],
      ['role', key.role],
      ['created', key.created_at],
      ['last used', lastUse(key)],
      ['expires', key.expires_at ?? 'never'],
    ];
  } else {
    const { id, type, at, by } = found.last;
    data = { key_id, label, ended: { id, type, at, by } };
    rows = [['status', `not valid any more: ${type} at ${at} by ${by}`]];
  }
  return {
    document: { type: 'api_key', data: { ...data, acquirer } },
    title: `API key ${key_id}`,
    rows: [['acquirer', nameOf(acquirer)], ['label', String(label)], ...rows],
  };
}

const shownPerson = (found: FoundPerson, nameOf: NameOf): Shown => ({
  document: { type: 'person', data: found },
  title: `Person ${found.name}`,
  rows: [
    ['id', found.id],
    ['email', found.email],
    ['acquirers', list(found.acquirers.map(({ id, role }) => `${nameOf(id)} as ${role}`))],
    ['created', found.created_at],
    ['signed in', found.signed_in_at],
  ],
});

/** How to find a request in the logs. */
function shownRequest(request_id: string, { logs }: Target): Shown {
  const fields = '@timestamp, route, acquirer, key_id, key_label, status, code, duration_ms, causes.0.message';
  const how =
    'groups' in logs
      ? { groups: logs.groups, query: `filter request_id = "${request_id}" | fields ${fields}` }
      : { command: `grep ${request_id} ${logs.file}` };
  return {
    document: { type: 'request', data: { request_id, ...how } },
    title: `Nothing is stored under this id. If it is a request id, find its log line with${'groups' in logs ? ' CloudWatch Logs Insights' : ''}:`,
    rows: Object.entries(how),
  };
}

const textOf = ({ title, rows }: Shown): string =>
  [title, ...columns(rows.flatMap(([name, value]) => (value ? [[name, value]] : []))).split('\n')].join('\n  ');

export const find: Group = (program) => {
  program
    .add('find', 'find a terminal, branch, master merchant, acquirer, API key, person or request by any of its ids')
    .addArgument(argument('<text>', 'an id, a serial number, or the name of an acquirer', identifier))
    .addHelpText('after', HELP)
    .runs(async ({ service, target, print }, given: string) => {
      const [found, nameOf] = [await service.find(given), await namesOfAcquirers(service)];
      const shown = [
        ...found.terminals.map((each) => shownTerminal(each, nameOf)),
        ...found.branches.map((each) => shownBranch(toBranch(each), nameOf)),
        ...found.masterMerchants.map((each) => shownMasterMerchant(each, nameOf)),
        ...found.acquirers.map(shownAcquirer),
        ...found.keys.map((each) => shownKey(each, nameOf)),
        ...found.people.map((each) => shownPerson(each, nameOf)),
      ];
      if (shown.length === 0 && UUID.test(given)) shown.push(shownRequest(given.toLowerCase(), target));
      if (shown.length === 0) throw new Stop(`${NOT_FOUND}${await similarAcquirers(service, given)}`);
      await print(
        shown.map(({ document }) => document),
        shown.map(textOf).join('\n\n'),
      );
    });
};

const NOT_FOUND =
  'Found nothing. Tried: TID, terminal_id, serial number, MID, master_merchant_id (of every payment provider), name and id of an acquirer, id of an API key, id of a person. Ids are case-sensitive, except UUIDs.';
