import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { bodyOf, isProblem } from '../../api/request.ts';
import { areRowsValid, type TerminalRow, terminalsOf } from '../../changes/TerminalRows.tsx';
import { useChange } from '../../changes/useChange.ts';
import { fieldErrors } from '../../fields/fieldErrors.ts';
import { type BranchField, fieldsOf } from '../../fields/fields.ts';
import { refusedFields, stillRefused } from '../../fields/refusals.ts';
import { useFields } from '../../fields/useFields.ts';
import { REQUIRED } from '../../fields/wording.ts';
import { useLookup } from '../../resources/data.ts';
import { paths } from '../../resources/paths.ts';
import { type OwnAcquirer, useActing } from '../../session/session.ts';
import { draftOf, dropDraft, useDraft } from '../../shared/draft.ts';

export const BRANCH_FIELDS = fieldsOf('branch');
export const BUSINESS_FIELDS = fieldsOf('business');

const empty = Object.fromEntries([...BRANCH_FIELDS, ...BUSINESS_FIELDS].map((name) => [name, '']));

const EMPTY = {
  ...(empty as Record<BranchField, string>),
  partner: '',
  partnerName: '',
  /** Empty until the person chooses. */
  business: '' as '' | 'existing' | 'new',
  existing_master_merchant: '',
  existingName: '',
  terminals: [] as TerminalRow[],
};
type Values = typeof EMPTY;

/** The field by which a branch names a partner. */
export const partnerFieldOf = ({ type }: OwnAcquirer): 'payment_provider' | 'distributor' =>
  type === 'DISTRIBUTOR' ? 'payment_provider' : 'distributor';

const pick = <Name extends keyof Values>(values: Values, names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<Values, Name>;

/** The body to send. The service reads an empty text as none. */
function requestOf(values: Values, acquirer: OwnAcquirer) {
  const { business, partner, terminals } = values;
  return {
    ...pick(values, BRANCH_FIELDS),
    [partnerFieldOf(acquirer)]: partner,
    ...(business === 'new'
      ? pick(values, BUSINESS_FIELDS)
      : { existing_master_merchant: values.existing_master_merchant }),
    ...(terminals.length > 0 && { terminals: terminalsOf(terminals) }),
  };
}
type Request = ReturnType<typeof requestOf>;

/** What is wrong with a body by the contract's rules, and what is missing; but for its terminals. */
function faultsOf(request: Request): Record<string, string> {
  const required = ['payment_provider', 'existing_master_merchant', 'master_merchant_id'];
  const isMissing = ([name, value]: [string, unknown]) => required.includes(name) && String(value).trim() === '';
  const missing = Object.entries(request).filter(isMissing);
  return {
    ...fieldErrors('createBranch', request),
    ...Object.fromEntries(missing.map(([name]) => [name, REQUIRED])),
  };
}

/** At most two requests a second. */
const PAUSE_MS = 500;

/** The fields that the service would refuse, while they are typed. `isReady`: the body follows the contract's rules. */
function useValidation(body: Request, isReady: boolean): Record<string, string> {
  const { api, acquirer } = useActing();
  const text = JSON.stringify(body);
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const { data } = useQuery({
    queryKey: [acquirer.id, 'validation', text],
    enabled: isReady && settled === text,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      try {
        await bodyOf(api.POST('/ext/api/v1/merchants', { params: { query: { validate_only: 'true' } }, body, signal }));
        return { body, refused: {} };
      } catch (error) {
        if (!isProblem(error, 'validation_failed')) throw error;
        return { body, refused: refusedFields(error) };
      }
    },
  });
  return data ? stillRefused(data.refused, data.body, body) : {};
}

export function useNewBranch() {
  const { api, acquirer } = useActing();
  const [, navigate] = useLocation();
  const draftName = `new branch of ${acquirer.id}`;
  const [draft] = useState(() => draftOf<Values>(draftName));
  const hasNone = useLookup('masterMerchants').data?.length === 0;
  const chosen = (values: Values) => ({ ...values, business: values.business || (hasNone ? 'new' : 'existing') });
  const form = useFields((values) => faultsOf(requestOf(chosen(values), acquirer)), EMPTY, draft);
  const { setValues, tries } = form;
  const values = chosen(form.values);
  const ref = useRef<HTMLFormElement>(null);
  const isDirty = JSON.stringify(form.values) !== JSON.stringify(EMPTY);
  useDraft(draftName, form.values, isDirty);

  const create = useChange(
    async (body: Request, key) => {
      const params = { header: { 'Idempotency-Key': key } };
      const created = await bodyOf(api.POST('/ext/api/v1/merchants', { params, body }));
      // Also if the person has left the form meanwhile.
      dropDraft(draftName);
      return created;
    },
    { isIdempotent: true },
  );
  const request = requestOf(values, acquirer);
  const isValid = form.isValid && areRowsValid(values.terminals);
  const refused = {
    ...useValidation(request, isValid && !create.isPending && !create.isSuccess),
    ...stillRefused(refusedFields(create.error), create.variables, request),
  };

  // The first field to correct is where the person types next; at first, it is the first of all.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when they try, and when the service has responded
  useEffect(() => {
    const selector = tries > 0 ? '[aria-invalid="true"]' : 'input';
    ref.current?.querySelector<HTMLElement>(selector)?.focus();
  }, [tries, create.error]);

  const changeTerminals = useCallback(
    (change: (rows: TerminalRow[]) => TerminalRow[]) =>
      setValues((before) => ({ ...before, terminals: change(before.terminals) })),
    [setValues],
  );
  return {
    ...form,
    values,
    ref,
    changeTerminals,
    refused,
    /** What the service refused and no field shows. */
    others: Object.entries(refused).filter(([path]) => !(path in request || path.startsWith('terminals.'))),
    isValid,
    isDirty,
    isRestored: draft !== undefined && isDirty,
    create,
    submit() {
      form.check();
      if (!isValid || create.isPending) return;
      create.mutate(request, {
        onSuccess({ data: { mid } }) {
          navigate(paths.branch(mid), { replace: true });
        },
      });
    },
    clear() {
      form.clear();
      create.reset();
    },
  };
}
