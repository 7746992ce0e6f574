/** An acquirer of the demo data, and what a person may do for it. */
type DemoMembership = [acquirer: 'Payfair' | 'Northgate Distribution', role: 'admin' | 'operator' | 'viewer'];

/** A person who can sign in at the local issuer. */
export interface DemoPerson {
  /** The subject at the issuer (`sub`). It is the same after each start, so that stored people stay bound to it. */
  subject: string;
  name: string;
  email: string;
  memberships: DemoMembership[];
}

const person = (name: string, email: string, ...memberships: DemoMembership[]): DemoPerson => ({
  subject: `demo-${email.split('@')[0]}`,
  name,
  email,
  memberships,
});

export const DEMO_PEOPLE = [
  person('Ana Almeida', 'ana@payfair.example', ['Payfair', 'admin']),
  person('Oscar Oliveira', 'oscar@payfair.example', ['Payfair', 'operator']),
  person('Vera Vieira', 'vera@payfair.example', ['Payfair', 'viewer']),
  person('Nuno Nogueira', 'nuno@northgate.example', ['Northgate Distribution', 'admin'], ['Payfair', 'viewer']),
  // For trying an invitation.
  person('Rui Ramos', 'rui@example.com'),
];

/** What a person may do and for whom, such as `Payfair · admin`. */
export const rolesOf = ({ memberships }: DemoPerson): string[] =>
  memberships.length > 0 ? memberships.map((membership) => membership.join(' · ')) : ['Not invited yet'];
