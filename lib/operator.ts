/*
 * Who changes what the operator manages. It is a setting of the process, as its table is: a run of the tool is one
 * person's, and every operation of lib/ that the operator's record tells of asks here.
 */

let current = (): Promise<string> =>
  Promise.reject(new Error('Nobody is named who makes this change: call actAs first.'));

/**
 * Names who makes the changes of this process from now on.
 *
 * @param who Resolves to a name. It is called at the first change, once; when it rejects, nothing is changed.
 */
export function actAs(who: () => Promise<string>): void {
  let asked: Promise<string> | undefined;
  current = () => {
    asked ??= who();
    return asked;
  };
}

/** Who makes the changes of this process. Rejects when nobody is named, or with what {@link actAs}'s `who` rejects with. */
export const operator = (): Promise<string> => current();
