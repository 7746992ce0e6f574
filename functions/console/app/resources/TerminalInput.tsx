import { TextInput, type TextInputProps } from '@mantine/core';
import { TERMINAL, type TerminalField } from '../fields/fields.ts';
import type { Typed } from '../fields/useFields.ts';
import { LookupSelect } from './LookupSelect.tsx';

interface TerminalInputProps extends Omit<TextInputProps, 'name' | 'label' | 'value' | 'onChange'> {
  name: TerminalField;
  label: string;
  value: string;
  onChange: (next: Typed) => void;
}

/** The input of a field of a terminal: for a text, or for what a lookup has. */
export function TerminalInput({ name, ...input }: TerminalInputProps) {
  const { lookup } = TERMINAL[name];
  if (lookup)
    return <LookupSelect method={lookup} {...(input as Pick<typeof input, 'label' | 'value' | 'onChange'>)} />;
  return <TextInput {...input} />;
}
