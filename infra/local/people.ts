/** An acquirer of the demo data, and what a person may do for it. */
type DemoMembership = [acquirer: 'Payfair' | 'Northgate Distribution', role: 'admin' | 'operator' | 'viewer'];

const person = (name: string, email: string, ...memberships: DemoMembership[]) => ({
  /** The subject at the issuer (`sub`). It is the same after each start, so that stored people stay bound to it. */
  subject: `demo-${email.split('@')[0]}`,
  name,
  email,
  memberships,
  /** What they may do and for whom, such as `Payfair · admin`. */
  roles: memberships.length > 0 ? memberships.map((membership) => membership.join(' · ')) : ['Not invited yet'],
});

export type DemoPerson = ReturnType<typeof person>;

export const DEMO_PEOPLE = [
  person('Ana Almeida', 'ana@payfair.example', ['Payfair', 'admin']),
  person('Oscar Oliveira', 'oscar@payfair.example', ['Payfair', 'operator']),
  person('Vera Vieira', 'vera@payfair.example', ['Payfair', 'viewer']),
  person('Nuno Nogueira', 'nuno@northgate.example', ['Northgate Distribution', 'admin'], ['Payfair', 'viewer']),
  // For trying an invitation.
  person('Rui Ramos', 'rui@example.com'),
];
