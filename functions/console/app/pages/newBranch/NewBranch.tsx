import { Alert, Button, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ProblemError } from '../../request.ts';
import { useActing, useMay } from '../../session/session.ts';
import { Choices } from '../../shared/Choices.tsx';
import { Waiting } from '../../shared/Loaded.tsx';
import { LookupSelect } from '../../shared/LookupSelect.tsx';
import { PageTitle } from '../../shared/PageTitle.tsx';
import { ProblemNotice } from '../../shared/ProblemNotice.tsx';
import { TerminalRows } from '../../shared/TerminalRows.tsx';
import { texts as shared } from '../../shared/texts.ts';
import { BRANCH_FIELDS, BUSINESS_FIELDS, partnerFieldOf, type TextField } from './form.ts';
import { texts } from './texts.ts';
import { useNewBranch } from './useNewBranch.ts';

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack gap="md" component="section">
    <Title order={2}>{title}</Title>
    {children}
  </Stack>
);

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
  const { values, set, leave, errorOf, create } = form;
  const text = (field: TextField, more: object = {}) => (
    <TextInput
      key={field}
      label={shared.fields[field]}
      value={values[field]}
      error={errorOf(field, values[field])}
      onChange={(event) => set({ [field]: event.currentTarget.value })}
      onBlur={() => leave(field)}
      inputWrapperOrder={ORDER}
      {...more}
    />
  );
  const partnerField = partnerFieldOf(acquirer);
  const isForPartner = partnerField === 'payment_provider';

  const isRefused = create.error instanceof ProblemError && create.error.problem.code === 'validation_failed';
  return (
    <>
      <PageTitle title={texts.title}>{form.isRestored && texts.restored}</PageTitle>
      <form
        ref={form.ref}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          form.submit();
        }}
      >
        <Stack gap="xxl">
          <Section title={texts.branch}>
            <Fields>
              {BRANCH_FIELDS.map((field) => text(field, { required: field === 'mid' }))}
              <LookupSelect
                method={isForPartner ? 'paymentProviders' : 'distributors'}
                label={shared.fields[partnerField] ?? ''}
                description={texts[partnerField]}
                inputWrapperOrder={ORDER}
                required={isForPartner}
                value={values.partner}
                text={values.partnerName}
                error={errorOf(partnerField, values.partner)}
                onBlur={() => leave(partnerField)}
                onChange={(partner, partnerName) =>
                  set({ partner, partnerName, ...(isForPartner && { existing_master_merchant: '', existingName: '' }) })
                }
              />
            </Fields>
          </Section>
          <Section title={texts.business.title}>
            <Choices
              label={texts.business.kind}
              choices={texts.business.kinds}
              value={values.business}
              onChange={(business) => set({ business })}
            />
            <Fields>
              {values.business === 'new' ? (
                BUSINESS_FIELDS.map((field) =>
                  text(field, field === 'master_merchant_id' ? { required: true, description: texts.business.id } : {}),
                )
              ) : (
                <LookupSelect
                  method="masterMerchants"
                  label={texts.business.choose}
                  placeholder={texts.business.find}
                  description={isForPartner && !values.partner ? texts.business.providerFirst : undefined}
                  inputWrapperOrder={ORDER}
                  disabled={isForPartner && !values.partner}
                  query={isForPartner && values.partner ? { payment_provider: values.partner } : {}}
                  required
                  value={values.existing_master_merchant}
                  text={values.existingName}
                  error={errorOf('existing_master_merchant', values.existing_master_merchant)}
                  onBlur={() => leave('existing_master_merchant')}
                  onChange={(key, existingName) => set({ existing_master_merchant: key, existingName })}
                />
              )}
            </Fields>
          </Section>
          <Section title={texts.terminals}>
            {values.terminals.length === 0 && <Text c="dimmed">{texts.noTerminals}</Text>}
            <TerminalRows
              rows={values.terminals}
              onChange={form.changeTerminals}
              refused={form.refused}
              isTried={form.isTried}
            />
          </Section>
          {form.others.length > 0 && (
            <Alert color="red" role="alert" title={shared.problems['validation_failed']?.title}>
              {form.others.map(([path, detail]) => (
                <Text key={path} className="wraps">
                  {shared.fields[path] ?? path} {detail}
                </Text>
              ))}
            </Alert>
          )}
          {create.error && !create.isPending && !isRefused && <ProblemNotice error={create.error} isChange />}
          {create.isPending && <Waiting reason={create.failureReason} />}
          <Group gap="sm">
            <Button type="submit" loading={create.isPending}>
              {texts.submit}
            </Button>
            {form.isDirty && (
              <Button variant="subtle" onClick={form.clear}>
                {texts.clear}
              </Button>
            )}
            {form.isTried && !form.isValid && (
              <Text size="sm" c="var(--mantine-color-error)" role="status">
                {texts.faulty}
              </Text>
            )}
          </Group>
        </Stack>
      </form>
    </>
  );
}

/** The view in which a branch is created. */
export default function NewBranch() {
  const { acquirer } = useActing();
  if (useMay('change')) return <Form />;
  return <PageTitle title={texts.title}>{texts.notAllowed(acquirer.name)}</PageTitle>;
}
