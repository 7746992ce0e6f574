import { Alert, Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { isProblem } from '../../api/request.ts';
import { TerminalRows } from '../../changes/TerminalRows.tsx';
import { takenSerials } from '../../fields/refusals.ts';
import { labelOf } from '../../fields/wording.ts';
import { Waiting } from '../../resources/Loaded.tsx';
import { LookupSelect } from '../../resources/LookupSelect.tsx';
import { PageTitle } from '../../resources/PageTitle.tsx';
import { ProblemNotice } from '../../resources/ProblemNotice.tsx';
import { SerialHolders } from '../../resources/SerialHolders.tsx';
import { MidInUse } from '../../search/InUse.tsx';
import { useActing, useMay } from '../../session/session.ts';
import { Choices } from '../../shared/Choices.tsx';
import { Section } from '../../shared/Section.tsx';
import { BRANCH_FIELDS, BUSINESS_FIELDS, partnerFieldOf, useNewBranch } from './useNewBranch.ts';

/** Hints are below their fields, so that the fields of a row are in line. */
const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

const Fields = ({ children }: { children: ReactNode }) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="md" maw={720}>
    {children}
  </SimpleGrid>
);

function Form() {
  const { acquirer } = useActing();
  const form = useNewBranch();
  const { values, set, refused, create } = form;
  const partnerField = partnerFieldOf(acquirer);
  const isForPartner = partnerField === 'payment_provider';
  const isRefused = isProblem(create.error, 'validation_failed');
  return (
    <>
      <PageTitle title="New branch" trail={[['Branches', '/branches']]}>
        {form.isRestored && 'This is what you typed before.'}
      </PageTitle>
      <form
        ref={form.ref}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          form.submit();
        }}
      >
        <Stack gap="xxl">
          <Section title="Branch">
            <Fields>
              {BRANCH_FIELDS.map((name) => (
                <div key={name}>
                  <TextInput {...form.field(name, refused)} required={name === 'mid'} />
                  {name === 'mid' && !(name in refused) && <MidInUse mid={values.mid} />}
                </div>
              ))}
              <LookupSelect
                {...form.about(partnerField, values.partner, refused)}
                method={isForPartner ? 'paymentProviders' : 'distributors'}
                description={
                  isForPartner ? 'For which of your partners?' : 'Only if a partner looks after this branch for you.'
                }
                inputWrapperOrder={ORDER}
                required={isForPartner}
                text={values.partnerName}
                onChange={(partner, partnerName) =>
                  set({ partner, partnerName, ...(isForPartner && { existing_master_merchant: '', existingName: '' }) })
                }
              />
            </Fields>
          </Section>
          <Section title="Business">
            <Choices
              label="Who owns the branch?"
              choices={{ existing: { name: 'A business that you have' }, new: { name: 'A new business' } }}
              value={values.business}
              onChange={(business) => set({ business })}
            />
            <Fields>
              {values.business === 'new' ? (
                BUSINESS_FIELDS.map((name) => (
                  <TextInput
                    key={name}
                    {...form.field(name, refused)}
                    inputWrapperOrder={ORDER}
                    {...(name === 'master_merchant_id' && {
                      required: true,
                      description: 'Letters and digits. You choose it, once for each business.',
                    })}
                  />
                ))
              ) : (
                <LookupSelect
                  {...form.field('existing_master_merchant', refused)}
                  method="masterMerchants"
                  placeholder="Type a part of its name or business ID"
                  description={isForPartner && !values.partner ? 'Choose the payment provider first.' : undefined}
                  inputWrapperOrder={ORDER}
                  disabled={isForPartner && !values.partner}
                  query={isForPartner && values.partner ? { payment_provider: values.partner } : {}}
                  required
                  text={values.existingName}
                  onChange={(key, existingName) => set({ existing_master_merchant: key, existingName })}
                />
              )}
            </Fields>
          </Section>
          <Section title="Terminals">
            {values.terminals.length === 0 && (
              <Text c="dimmed">You can also add terminals later, to the finished branch.</Text>
            )}
            <TerminalRows
              rows={values.terminals}
              onChange={form.changeTerminals}
              refused={refused}
              isTried={form.isTried}
            />
            <SerialHolders serials={takenSerials(form.create.error, form.create.variables)} />
          </Section>
          {form.others.length > 0 && (
            <Alert color="red" role="alert" title="Some fields need a correction">
              {form.others.map(([path, detail]) => (
                <Text key={path} className="wraps">
                  {labelOf(path)} {detail}
                </Text>
              ))}
            </Alert>
          )}
          {create.error && !create.isPending && !isRefused && <ProblemNotice error={create.error} isChange />}
          {create.isPending && <Waiting reason={create.failureReason} />}
          <Group gap="sm">
            <Button type="submit" loading={create.isPending}>
              Create branch
            </Button>
            {form.isDirty && (
              <Button variant="subtle" onClick={form.clear}>
                Clear the form
              </Button>
            )}
            {form.isTried && !form.isValid && (
              <Text size="sm" c="var(--mantine-color-error)" role="status">
                Some fields need a correction: they are marked.
              </Text>
            )}
          </Group>
        </Stack>
      </form>
    </>
  );
}

export default function NewBranch() {
  const { acquirer } = useActing();
  if (useMay('change')) return <Form />;
  return (
    <PageTitle title="New branch">
      As a viewer of {acquirer.name} you can see everything, but not create a branch. Ask an admin to make you an
      operator.
    </PageTitle>
  );
}
