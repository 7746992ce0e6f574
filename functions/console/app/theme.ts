import { createTheme } from '@mantine/core';

export const theme = createTheme({
  fontFamily: 'Inter, system-ui, sans-serif',
});
