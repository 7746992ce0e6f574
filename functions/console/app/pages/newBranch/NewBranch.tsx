import { Alert, Button, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { bodyOf, ProblemError } from '../../request.ts';
import { useActing, useMay } from '../../session/session.ts';
import { paths } from '../../shared/address.ts';
import { Choices } from '../../shared/Choices.tsx';
import { draftOf, dropDraft, useDraft } from '../../shared/draft.ts';
import { Waiting } from '../../shared/Loaded.tsx';
import { LookupSelect } from '../../shared/LookupSelect.tsx';
import { useLeft } from '../../shared/left.ts';
import { PageTitle } from '../../shared/PageTitle.tsx';
import { ProblemNotice } from '../../shared/ProblemNotice.tsx';
import { stillRefused } from '../../shared/refused.ts';
import { refusedFields } from '../../shared/rules.ts';
import { areRowsValid, type TerminalRow, TerminalRows } from '../../shared/TerminalRows.tsx';
import { texts as shared } from '../../shared/texts.ts';
import { useChange } from '../../shared/useChange.ts';
import {
  BRANCH_FIELDS,
  BUSINESS_FIELDS,
  EMPTY,
  faultsOf,
  partnerFieldOf,
  type Request,
  requestOf,
  type TextField,
  type Values,
} from './form.ts';
import { texts } from './texts.ts';
import { useValidation } from './useValidation.ts';

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
  const { api, acquirer } = useActing();
  const [, navigate] = useLocation();
  const name = `new branch of ${acquirer.id}`;
  const [draft] = useState(() => draftOf<Values>(name));
  const [values, setValues] = useState(draft ?? EMPTY);
  const [left, leave] = useLeft();
  const [tries, setTries] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const isDirty = JSON.stringify(values) !== JSON.stringify(EMPTY);
  useDraft(name, values, isDirty);

  const create = useChange(
    (body: Request, key) =>
      bodyOf(api.POST('/ext/api/v1/merchants', { params: { header: { 'Idempotency-Key': key } }, body })),
    { isIdempotent: true },
  );
  const request = requestOf(values, acquirer);
  const faults = faultsOf(request);
  const isValid = Object.keys(faults).length === 0 && areRowsValid(values.terminals);
  const refused = {
    ...useValidation(request, isValid && !create.isPending && !create.isSuccess),
    ...stillRefused(refusedFields(create.error), create.variables, request),
  };
  const isTried = tries > 0;
  const errorOf = (field: string, value: string) =>
    (isTried || (left.has(field) && value !== '') ? faults[field] : undefined) ?? refused[field];
  const isShown = (path: string) => path in request || path.startsWith('terminals.');
  const others = Object.entries(refused).filter(([path]) => !isShown(path));

  // The first field to correct is where the person types next; at first, it is the first of all.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when they try, and when the service has responded
  useEffect(() => {
    const selector = isTried ? '[aria-invalid="true"]' : 'input';
    form.current?.querySelector<HTMLElement>(selector)?.focus();
  }, [tries, create.error]);

  const changeTerminals = useCallback(
    (change: (rows: TerminalRow[]) => TerminalRow[]) =>
      setValues((before) => ({ ...before, terminals: change(before.terminals) })),
    [],
  );
  const set = (changed: Partial<Values>) => setValues((before) => ({ ...before, ...changed }));
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

  const submit = () => {
    setTries(tries + 1);
    if (!isValid || create.isPending) return;
    create.mutate(request, {
      onSuccess({ data: { mid } }) {
        dropDraft(name);
        navigate(paths.branch(mid), { replace: true });
      },
    });
  };
  const isRefused = create.error instanceof ProblemError && create.error.problem.code === 'validation_failed';
  return (
    <>
      <PageTitle title={texts.title}>{draft && isDirty && texts.restored}</PageTitle>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
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
            <TerminalRows rows={values.terminals} onChange={changeTerminals} refused={refused} isTried={isTried} />
          </Section>
          {others.length > 0 && (
            <Alert color="red" role="alert" title={shared.problems['validation_failed']?.title}>
              {others.map(([path, detail]) => (
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
            {isDirty && (
              <Button variant="subtle" onClick={() => setValues(EMPTY)}>
                {texts.clear}
              </Button>
            )}
            {isTried && !isValid && (
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
