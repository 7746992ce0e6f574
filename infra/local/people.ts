/** An acquirer of the demo data, and what a person may do for it. */
interface DemoMembership {
  acquirer: 'Payfair' | 'Northgate Distribution';
  role: 'admin' | 'operator' | 'viewer';
}

/** A person who can sign in at the local issuer. */
export interface DemoPerson {
  /** The subject at the issuer (`sub`). It is the same after each start, so that stored people stay bound to it. */
  subject: string;
  name: string;
  email: string;
  memberships: DemoMembership[];
}

export const DEMO_PEOPLE: DemoPerson[] = [
  {
    subject: 'demo-ana',
    name: 'Ana Almeida',
    email: 'ana@payfair.example',
    memberships: [{ acquirer: 'Payfair', role: 'admin' }],
  },
  {
    subject: 'demo-oscar',
    name: 'Oscar Oliveira',
    email: 'oscar@payfair.example',
    memberships: [{ acquirer: 'Payfair', role: 'operator' }],
  },
  {
    subject: 'demo-vera',
    name: 'Vera Vieira',
    email: 'vera@payfair.example',
    memberships: [{ acquirer: 'Payfair', role: 'viewer' }],
  },
  {
    subject: 'demo-nuno',
    name: 'Nuno Nogueira',
    email: 'nuno@northgate.example',
    memberships: [
      { acquirer: 'Northgate Distribution', role: 'admin' },
      { acquirer: 'Payfair', role: 'viewer' },
    ],
  },
  // For trying an invitation.
  { subject: 'demo-rui', name: 'Rui Ramos', email: 'rui@example.com', memberships: [] },
];

/** What a person may do and for whom, such as `Payfair · admin`. */
export const rolesOf = ({ memberships }: DemoPerson): string[] =>
  memberships.length > 0 ? memberships.map(({ acquirer, role }) => `${acquirer} · ${role}`) : ['Not invited yet'];
