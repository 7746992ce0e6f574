import { type Argument, Option } from 'commander';
import * as v from 'valibot';
import type { Keyring } from '../../../lib/acquirers/keyring.ts';
import { PERSON_ROLES, type PersonRole } from '../../../lib/acquirers/roles.ts';
import { email, storedText } from '../../../lib/base/fields.ts';
import { UUID } from '../../../lib/base/mid.ts';
import type { Member, OpenInvitation } from '../../../lib/people/people.ts';
import { acquirerNamed, namesOfAcquirers } from '../acquirerNames.ts';
import type { Group } from '../command.ts';
import { argument, baseUrl, option } from '../input.ts';
import { list, nameAndId, table } from '../output.ts';
import type { Service, Session } from '../session.ts';
import { Stop } from '../stop.ts';

const INVITE_HELP = `
Prints a link to hand over; no mail is sent. It is valid for 7 days and ends an earlier invitation of the address. It opens
nothing unless the sign-in provider states that the person has this address and has verified it.

Example:
  $ npm run admin -- people invite --acquirer Payfair --email anna@example.com --role admin --stage prod`;

const ERASE_HELP = `
Removes the person from all acquirers, with name, address and all invitations of that address. Events and the operator's
record keep the person's id, which then names nobody.`;

interface Options {
  acquirer: string;
}

const ofAcquirer = (): Option =>
  option('--acquirer <acquirer>', 'name, or id from "acquirers list"', storedText).makeOptionMandatory();

const ofRole = (): Option =>
  new Option(
    '--role <role>',
    'what the person may do: viewer reads, operator also creates and changes, admin does all and manages keys and people',
  )
    .choices(PERSON_ROLES)
    .makeOptionMandatory();

const LISTED_ID = v.pipe(v.string(), v.regex(UUID, 'Must be the UUID from "people list".'), v.toLowerCase());
const personId = (): Argument => argument('<person-id>', 'id from "people list"', LISTED_ID);

/** How soon a change applies although processes may have sessions cached. */
const within = ({ CACHE_MS }: Service): string => `within ${CACHE_MS / 1000} seconds`;

/** The name of one of the people of an acquirer, for messages. Does not check that there is such a person; the service does. */
async function nameOf({ listPeople }: Service, { id: acquirer }: Keyring, id: string): Promise<string> {
  const { people } = await listPeople(acquirer);
  const person = people.find((each) => each.id === id);
  return person ? nameAndId(person) : `person ${id}`;
}

const peopleText = ({ people, invitations }: { people: Member[]; invitations: OpenInvitation[] }): string => {
  const rows = people.map(({ id, name, email, role, joined_at, signed_in_at }) => [
    id,
    name,
    email ?? '',
    role,
    joined_at,
    signed_in_at,
  ]);
  const open = invitations.map((each) => [each.id, each.email, each.role, each.created_at, each.expires_at]);
  return [
    `People:\n${table(['ID', 'NAME', 'EMAIL', 'ROLE', 'JOINED', 'SIGNED IN'], rows)}`,
    `Open invitations:\n${table(['ID', 'EMAIL', 'ROLE', 'INVITED', 'EXPIRES'], open)}`,
  ].join('\n\n');
};

export const people: Group = (program) => {
  const group = program.command('people').description('people of acquirers, who sign in to the console');

  group
    .command('invite')
    .description('invite a person by address; prints a link to hand over')
    .addOption(ofAcquirer())
    .addOption(option('--email <address>', 'address of the person', email).makeOptionMandatory())
    .addOption(ofRole())
    .addOption(option('--base-url <url>', "base URL of the API (default: the stage's own domain)", baseUrl))
    .addHelpText('after', INVITE_HELP)
    .runs(invite);

  group
    .command('list')
    .description("list an acquirer's people and its open invitations")
    .addOption(ofAcquirer())
    .runs(async ({ service, print }, options: Options) => {
      const { id } = await acquirerNamed(service, options.acquirer);
      const found = await service.listPeople(id);
      await print(found, peopleText(found));
    });

  group
    .command('role')
    .description('change the role of a person')
    .addArgument(personId())
    .addOption(ofAcquirer())
    .addOption(ofRole())
    .runs(async ({ service, print }, id: string, options: Options & { role: PersonRole }) => {
      const owner = await acquirerNamed(service, options.acquirer);
      const changed = await service.changeRole(owner.id, id, options.role);
      await print(
        changed,
        `${nameAndId(changed)} of ${nameAndId(owner)} has the role ${changed.role} ${within(service)}.`,
      );
    });

  group
    .command('remove')
    .description('remove a person from an acquirer')
    .addArgument(personId())
    .addOption(ofAcquirer())
    .runs(async ({ service, print, confirm }, id: string, options: Options) => {
      const owner = await acquirerNamed(service, options.acquirer);
      const what = `${await nameOf(service, owner, id)} from the people of ${nameAndId(owner)}`;
      await confirm(`remove ${what}`);
      await service.removePerson(owner.id, id);
      await print({ id, removed: true }, `Removed ${what}. They can do nothing more there ${within(service)}.`);
    });

  group
    .command('revoke-invitation')
    .description('revoke an open invitation')
    .addArgument(argument('<invitation-id>', 'id from "people list"', LISTED_ID))
    .addOption(ofAcquirer())
    .runs(async ({ service, print }, id: string, options: Options) => {
      const owner = await acquirerNamed(service, options.acquirer);
      await service.revokeInvitation(owner.id, id);
      await print({ id, revoked: true }, `Revoked the invitation ${id} of ${nameAndId(owner)}.`);
    });

  signOutAndErase(group);
};

async function invite(
  { service, target, print }: Session,
  { acquirer, email, role, baseUrl = target.baseUrl }: Options & { email: string; role: PersonRole; baseUrl?: string },
): Promise<void> {
  const owner = await acquirerNamed(service, acquirer);
  const { link: path, ...invitation } = await service.invitePerson(owner.id, { email, role });
  const link = `${baseUrl ?? ''}${path}`;
  const text = [
    `Invited ${invitation.email} to ${nameAndId(owner)} with the role ${role}. Hand over this link. It is valid for 7 days, until ${invitation.expires_at}. It opens nothing unless the sign-in provider states that the person has verified this address:`,
    link,
    ...(baseUrl ? [] : ["Put the base URL before it: the output BaseUrl of the stage's stack. --base-url does."]),
  ];
  await print({ ...invitation, link }, text.join('\n\n'));
}

const signOutAndErase: Group = (group) => {
  group
    .command('sign-out')
    .description('end all sessions of all people of an acquirer, or of one')
    .addOption(ofAcquirer())
    .addOption(option('--person <person-id>', 'only this person: id from "people list"', LISTED_ID))
    .runs(async ({ service, print, confirm }, { acquirer, person }: Options & { person?: string }) => {
      const owner = await acquirerNamed(service, acquirer);
      const who = person ? await nameOf(service, owner, person) : 'all people';
      await confirm(`end all sessions of ${who} of ${nameAndId(owner)}, also those as other acquirers`);
      const signedOut = await service.signOutPeople(owner.id, person);
      await print(
        { signed_out: signedOut },
        `All sessions of ${who} of ${nameAndId(owner)} end ${within(service)} (people: ${signedOut.length}).`,
      );
    });

  group
    .command('erase')
    .description('erase a person from all acquirers permanently')
    .addArgument(personId())
    .addHelpText('after', ERASE_HELP)
    .runs(async ({ service, print, confirm }, id: string) => {
      const person = await service.findPerson(id);
      if (!person) throw new Stop(`There is no person ${id}. "people list" shows the people of an acquirer.`);
      const nameOfAcquirer = await namesOfAcquirers(service);
      const from = list(person.acquirers.map((each) => nameOfAcquirer(each.id)));
      await confirm(`erase ${nameAndId(person)} for good, and remove them from ${from}`);
      const { acquirers, invitations } = await service.erasePerson(id);
      await print(
        { id, erased: true, acquirers, invitations },
        `Erased the person ${id} (acquirers: ${acquirers.length}, invitations: ${invitations}).`,
      );
    });
};
