import { Radio, Stack } from '@mantine/core';

/** What can be chosen, each with what it means. */
export type ChoiceTexts<Value extends string> = Record<Value, { name: string; detail?: string }>;

/** A choice of one of a few, each with what it means. */
export const Choices = <Value extends string>({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: ChoiceTexts<Value>;
  value: Value;
  onChange: (value: Value) => void;
}) => (
  <Radio.Group label={label} value={value} onChange={(chosen) => onChange(chosen as Value)}>
    <Stack gap="md" mt="sm">
      {Object.entries<ChoiceTexts<Value>[Value]>(choices).map(([each, { name, detail }]) => (
        <Radio key={each} value={each} label={name} description={detail} />
      ))}
    </Stack>
  </Radio.Group>
);
