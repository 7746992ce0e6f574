import { expect, test } from '@jest/globals';
import { codeOf, idIn, withoutSigns } from '../../../../functions/console/app/shared/scanned.ts';

test.each([
  ['a plain code', 'TERM0042', 'TERM0042'],
  ['a number with zeros', '00012345', '00012345'],
  ['a plain number that begins as an item number', '01095011015300042112345678', '01095011015300042112345678'],
  ['the AIM identifier of Code 128', ']C0TERM0042', 'TERM0042'],
  ['that of Code 39', ']A0TERM0042', 'TERM0042'],
  ['a sign as a prefix', '#TERM0042', 'TERM0042'],
  ['a sign and an AIM identifier', '~]Q1TERM0042', 'TERM0042'],
  ['GS1-128 with an item and a serial number', ']C10109501101530003210820123456', '0820123456'],
  ['the same without its AIM identifier', '0109501101530003210820123456', '0820123456'],
  ['GS1 with a batch before the serial number', '010950110153000310LOT7\x1d21SER0042', 'SER0042'],
  ['GS1 with a batch after the serial number', ']d2010950110153000321SER0042\x1d10LOT7', 'SER0042'],
  ['GS1 that begins with a separator, and has a date', '\x1d01095011015300031727123121SER0042', 'SER0042'],
  ['GS1 as it is printed', '(01)09501101530003(21)SER0042(10)LOT7', 'SER0042'],
  ['GS1 without a serial number', ']C10109501101530003', '0109501101530003'],
])('of a scan of %s, the code is taken', (_, scan, code) => {
  expect(codeOf(scan)).toBe(code);
});

test.each([
  ['S/N: MV53-0001 22', 'MV53000122'],
  ['s/n MV53', 'MV53'],
  ['Serial number:MV53', 'MV53'],
  ['TID#T1', 'T1'],
  ['SN123', 'SN123'],
])('of %p, which is typed or pasted, the ID is taken', (text, id) => {
  expect(idIn(text)).toBe(id);
  const typed = [...text].reduce((before, character) => idIn(before + character), '');
  expect(typed).toBe(id);
});

test('spaces, dashes and what is not shown are no part of a typed ID or serial number', () => {
  expect(withoutSigns('\u200e082\u2011012 345\u200b')).toBe('082012345');
});
