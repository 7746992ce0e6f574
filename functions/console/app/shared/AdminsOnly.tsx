import { useActing } from '../session/session.ts';
import { PageTitle } from './PageTitle.tsx';
import { texts } from './texts.ts';

/** Shown in place of a page that only admins can use. */
export const AdminsOnly = ({ title, guide }: { title: string; guide: string }) => (
  <PageTitle title={title} guide={guide}>
    {texts.adminsOnly(useActing().acquirer.name)}
  </PageTitle>
);
