import { type Argument, Option } from 'commander';
import * as v from 'valibot';
import type { Keyring } from '../../../../lib/acquirers/keyring.ts';
import { PERSON_ROLES, type PersonRole } from '../../../../lib/acquirers/roles.ts';
import { email, storedText } from '../../../../lib/base/fields.ts';
import { UUID } from '../../../../lib/base/mid.ts';
import type { Group, SessionCommand } from '../command.ts';
import { argument, baseUrl, option } from '../input.ts';
import { namesOfAcquirers } from '../names.ts';
import { list, nameAndId, table, WITHIN } from '../output.ts';
import * as service from '../service.ts';
import type { Session } from '../session.ts';
import { Stop } from '../stop.ts';

const INVITE_HELP = `
Prints a link to hand over; no mail is sent. It is valid for 7 days and ends an earlier invitation of the address. It opens
nothing unless the sign-in provider states that the person has this address and has verified it.`;

const ERASE_HELP = `
Removes the person from all acquirers, then takes name, address and all invitations of that address from everywhere, also
from the acquirers that removed them earlier. Events and the operator's record keep the person's id, which then names nobody.
An address finds all who have or had it: somebody who was removed and came back is a new person with another id.`;

const ofRole = (): Option =>
  new Option(
    '--role <role>',
    'what the person may do: viewer reads, operator also creates and changes, admin does all and manages keys and people',
  )
    .choices(PERSON_ROLES)
    .makeOptionMandatory();

const LISTED_ID = v.pipe(v.string(), v.regex(UUID, 'Must be the UUID from "people list".'), v.toLowerCase());
const personId = (): Argument => argument('<person-id>', 'id from "people list"', LISTED_ID);

/** The name of one of the people of an acquirer, for messages. Does not check that there is such a person; the service does. */
async function nameOf({ id: acquirer }: Keyring, id: string): Promise<string> {
  const { people } = await service.listPeople(acquirer);
  const person = people.find((each) => each.id === id);
  return person ? nameAndId(person) : `person ${id}`;
}

const PEOPLE = {
  ID: 'id',
  NAME: 'name',
  EMAIL: 'email',
  ROLE: 'role',
  JOINED: 'joined_at',
  'SIGNED IN': 'signed_in_at',
} as const;
const INVITATIONS = { ID: 'id', EMAIL: 'email', ROLE: 'role', INVITED: 'created_at', EXPIRES: 'expires_at' } as const;

export const people: Group = (program) => {
  const group = program.add('people', 'people of acquirers, who sign in to the console');
  const add = (name: string, description: string): SessionCommand =>
    group
      .add(name, description)
      .addOption(
        option('--acquirer <acquirer>', 'name, or id from "acquirers list"', storedText).makeOptionMandatory(),
      );

  add('invite', 'invite a person by address; prints a link to hand over')
    .addOption(option('--email <address>', 'address of the person', email).makeOptionMandatory())
    .addOption(ofRole())
    .addOption(option('--base-url <url>', "base URL of the API (default: the stage's own domain)", baseUrl))
    .addHelpText('after', INVITE_HELP)
    .runsOnAcquirer(invite);

  add('list', "list an acquirer's people and its open invitations").runsOnAcquirer(async ({ print }, { id }) => {
    const found = await service.listPeople(id);
    const text = `People:\n${table(found.people, PEOPLE)}\n\nOpen invitations:\n${table(found.invitations, INVITATIONS)}`;
    await print(found, text);
  });

  add('role', 'change the role of a person')
    .addArgument(personId())
    .addOption(ofRole())
    .runsOnAcquirer(async ({ print }, owner, id: string, { role }: { role: PersonRole }) => {
      const changed = await service.changeRole(owner.id, id, role);
      await print(changed, `${nameAndId(changed)} of ${nameAndId(owner)} has the role ${changed.role} ${WITHIN}.`);
    });

  add('remove', 'remove a person from an acquirer')
    .addArgument(personId())
    .runsOnAcquirer(async ({ print, confirm }, owner, id: string) => {
      const what = `${await nameOf(owner, id)} from the people of ${nameAndId(owner)}`;
      await confirm(`remove ${what}`);
      await service.removePerson(owner.id, id);
      await print({ id, removed: true }, `Removed ${what}. They can do nothing more there ${WITHIN}.`);
    });

  add('revoke-invitation', 'revoke an open invitation')
    .addArgument(argument('<invitation-id>', 'id from "people list"', LISTED_ID))
    .runsOnAcquirer(async ({ print }, owner, id: string) => {
      await service.revokeInvitation(owner.id, id);
      await print({ id, revoked: true }, `Revoked the invitation ${id} of ${nameAndId(owner)}.`);
    });

  add('sign-out', 'end all sessions of all people of an acquirer, or of one')
    .addOption(option('--person <person-id>', 'only this person: id from "people list"', LISTED_ID))
    .runsOnAcquirer(async ({ print, confirm }, owner, { person }: { person?: string }) => {
      const whose = `${person ? await nameOf(owner, person) : 'all people'} of ${nameAndId(owner)}`;
      await confirm(`end all sessions of ${whose}, also those as other acquirers`);
      const signed_out = await service.signOutPeople(owner.id, person);
      await print({ signed_out }, `All sessions of ${whose} end ${WITHIN} (people: ${signed_out.length}).`);
    });

  group
    .add('erase', 'erase a person, present or former, permanently')
    .addArgument(argument('<person>', 'id of a person, or their address', v.union([LISTED_ID, email])))
    .addHelpText('after', ERASE_HELP)
    .runs(erase);
};

async function invite(
  { target, print }: Session,
  owner: Keyring,
  { email, role, baseUrl = target.baseUrl }: { email: string; role: PersonRole; baseUrl?: string },
): Promise<void> {
  const { link: path, ...invitation } = await service.invitePerson(owner.id, { email, role });
  const link = `${baseUrl ?? ''}${path}`;
  const text = [
    `Invited ${invitation.email} to ${nameAndId(owner)} with the role ${role}. Hand over this link. It is valid for 7 days, until ${invitation.expires_at}. It opens nothing unless the sign-in provider states that the person has verified this address:`,
    link,
    ...(baseUrl ? [] : ["Put the base URL before it: the output BaseUrl of the stage's stack. --base-url does."]),
  ];
  await print({ ...invitation, link }, text.join('\n\n'));
}

async function erase({ print, confirm }: Session, idOrEmail: string): Promise<void> {
  const { people } = await service.findErasable(idOrEmail);
  if (people.size === 0 && UUID.test(idOrEmail))
    throw new Stop(`There is no person ${idOrEmail}. "people list" shows the people of an acquirer.`);
  const nameOfAcquirer = await namesOfAcquirers();
  const named = [...people].map(([id, { name, acquirers }]) => {
    const from = acquirers.length > 0 ? `, and remove them from ${list(acquirers.map(nameOfAcquirer))}` : '';
    return `${nameAndId({ id, name })} for good${from}`;
  });
  await confirm(`erase ${named.join('; ') || `${idOrEmail} for good`}`);
  const { acquirers, invitations, people: erased } = await service.erasePerson(idOrEmail);
  await print(
    { id: idOrEmail, erased: true, people: erased, acquirers, invitations },
    `Erased ${idOrEmail} (people: ${erased.length}, acquirers: ${acquirers.length}, invitations: ${invitations}).`,
  );
}
