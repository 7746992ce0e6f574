/*
 * Who makes the operator's changes, for the operator's record. It is set per process, because each run of the tool is
 * by one person.
 */

let current = (): Promise<string> => Promise.reject(new Error('No operator is set for this change: call actAs first.'));

/**
 * Sets who makes the changes of this process.
 *
 * @param who Resolves to a name. It is called once, at the first change. If it rejects, so does every change.
 */
export function actAs(who: () => Promise<string>): void {
  let name: Promise<string> | undefined;
  current = () => {
    name ??= who();
    return name;
  };
}

/**
 * Who makes the changes of this process. Rejects when no operator is set, or with the error of {@link actAs}'s `who`.
 */
export const operator = (): Promise<string> => current();
