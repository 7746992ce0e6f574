import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { bodyOf } from '../../request.ts';
import { useActing } from '../../session/session.ts';
import { paths } from '../../shared/address.ts';
import { draftOf, dropDraft, useDraft } from '../../shared/draft.ts';
import { useLeft } from '../../shared/left.ts';
import { stillRefused } from '../../shared/refused.ts';
import { refusedFields } from '../../shared/rules.ts';
import { areRowsValid, type TerminalRow } from '../../shared/TerminalRows.tsx';
import { useChange } from '../../shared/useChange.ts';
import { EMPTY, faultsOf, type Request, requestOf, type Values } from './form.ts';
import { useValidation } from './useValidation.ts';

/** The form of a new branch: what is typed, what is wrong with it, and how it is sent. */
export function useNewBranch() {
  const { api, acquirer } = useActing();
  const [, navigate] = useLocation();
  const name = `new branch of ${acquirer.id}`;
  const [draft] = useState(() => draftOf<Values>(name));
  const [values, setValues] = useState(draft ?? EMPTY);
  const [left, leave] = useLeft();
  const [tries, setTries] = useState(0);
  const ref = useRef<HTMLFormElement>(null);
  const isDirty = JSON.stringify(values) !== JSON.stringify(EMPTY);
  useDraft(name, values, isDirty);

  const create = useChange(
    async (body: Request, key) => {
      const params = { header: { 'Idempotency-Key': key } };
      const created = await bodyOf(api.POST('/ext/api/v1/merchants', { params, body }));
      // Also if the person has left the form meanwhile.
      dropDraft(name);
      return created;
    },
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

  // The first field to correct is where the person types next; at first, it is the first of all.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when they try, and when the service has responded
  useEffect(() => {
    const selector = isTried ? '[aria-invalid="true"]' : 'input';
    ref.current?.querySelector<HTMLElement>(selector)?.focus();
  }, [tries, create.error]);

  const changeTerminals = useCallback(
    (change: (rows: TerminalRow[]) => TerminalRow[]) =>
      setValues((before) => ({ ...before, terminals: change(before.terminals) })),
    [],
  );
  return {
    ref,
    values,
    set: (changed: Partial<Values>) => setValues((before) => ({ ...before, ...changed })),
    changeTerminals,
    leave,
    /** What is wrong with a field, as far as the person should know by now. */
    errorOf: (field: string, value: string) =>
      (isTried || (left.has(field) && value !== '') ? faults[field] : undefined) ?? refused[field],
    refused,
    /** What the service refused and no field shows. */
    others: Object.entries(refused).filter(([path]) => !(path in request || path.startsWith('terminals.'))),
    isTried,
    isValid,
    isDirty,
    isRestored: draft !== undefined && isDirty,
    create,
    submit() {
      setTries(tries + 1);
      if (!isValid || create.isPending) return;
      create.mutate(request, {
        onSuccess({ data: { mid } }) {
          navigate(paths.branch(mid), { replace: true });
        },
      });
    },
    clear() {
      setValues(EMPTY);
      setTries(0);
      create.reset();
    },
  };
}
