import { Radio, Stack } from '@mantine/core';

export type ChoiceTexts<Value extends string> = Record<Value, { name: string; detail?: string }>;

export const Choices = <Value extends string>({
  label,
  choices,
  value,
  onChange,
  isFirst = false,
}: {
  label: string;
  choices: ChoiceTexts<Value>;
  value: Value;
  onChange: (value: Value) => void;
  /** Whether it is the first field of a dialog, which has the focus. */
  isFirst?: boolean;
}) => (
  <Radio.Group label={label} value={value} onChange={(chosen) => onChange(chosen as Value)}>
    <Stack gap="md" mt="sm">
      {Object.entries<ChoiceTexts<Value>[Value]>(choices).map(([each, { name, detail }]) => (
        <Radio
          key={each}
          value={each}
          label={name}
          description={detail}
          data-autofocus={(isFirst && each === value) || undefined}
        />
      ))}
    </Stack>
  </Radio.Group>
);
