import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { MOST_TIME, readBy } from '../../../../functions/console/app/files/reading.ts';

/** A worker that says nothing by itself, as one that is busy. */
class BusyWorker extends EventTarget {
  isTerminated = false;

  postMessage(): void {}

  terminate(): void {
    this.isTerminated = true;
  }
}

let started: BusyWorker[];
function read(signal = new AbortController().signal) {
  const start = () => {
    const worker = new BusyWorker();
    started.push(worker);
    return worker as unknown as ReturnType<Parameters<typeof readBy>[0]>;
  };
  return readBy(start, 'a', signal);
}
const say = (data: object) => started.at(-1)?.dispatchEvent(Object.assign(new Event('message'), { data }));

beforeEach(() => {
  jest.useFakeTimers();
  started = [];
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a file that is read in a worker', () => {
  test('is refused after a minute, and the worker ends', async () => {
    const refused = expect(read()).rejects.toThrow(
      'Reading the file takes too long. Save only its table, as CSV UTF-8.',
    );
    await jest.advanceTimersByTimeAsync(MOST_TIME - 1);
    expect(started).toMatchObject([{ isTerminated: false }]);
    await jest.advanceTimersByTimeAsync(1);
    await refused;
    expect(started).toMatchObject([{ isTerminated: true }]);
  });

  test('ends with its worker when a person leaves the view, also before it began', async () => {
    const leaving = new AbortController();
    const reading = read(leaving.signal);
    leaving.abort();
    await expect(reading).rejects.toBe(leaving.signal.reason);
    await expect(read(leaving.signal)).rejects.toBe(leaving.signal.reason);
    expect(started).toMatchObject([{ isTerminated: true }]);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('says what the worker says: what it read, or what is wrong, where, and about what', async () => {
    const reading = read();
    say({ read: { header: [], rows: [], notes: [] } });
    expect(await reading).toEqual({ header: [], rows: [], notes: [] });
    const refused = read();
    say({ code: 'merged', place: { about: 'A1:A3' } });
    await expect(refused).rejects.toThrow('Cells are merged (A1:A3). Unmerge them, and fill in each cell.');
    const placed = read();
    say({ code: 'more_cells', place: { cell: 'CW2' } });
    await expect(placed).rejects.toThrow('Cell CW2: The row has more cells');
    expect(started.map(({ isTerminated }) => isTerminated)).toEqual([true, true, true]);
  });
});
