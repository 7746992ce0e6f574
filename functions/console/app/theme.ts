import {
  ActionIcon,
  Anchor,
  Badge,
  CloseButton,
  Combobox,
  type CSSVariablesResolver,
  createTheme,
  Input,
  type MantineColorsTuple,
  Menu,
  Modal,
  NavLink,
  Paper,
  Skeleton,
  type TableProps,
  Tooltip,
} from '@mantine/core';

/** The accent: the blue of the docs site, which is shade 7. On dark it is shade 6, and links have shade 4. */
const blue: MantineColorsTuple = [
  '#eef4fd',
  '#dbe7f9',
  '#b6cef2',
  '#8fb4ec',
  '#8fbcff',
  '#4b87dd',
  '#2f71d0',
  '#1f5fbf',
  '#194e9e',
  '#133c7a',
];

/** Neutral greys of the dark scheme, with enough contrast for dimmed text on every surface. */
const dark: MantineColorsTuple = [
  '#e6e8eb',
  '#c9cdd3',
  '#a7adb6',
  '#7d848f',
  '#3a3f47',
  '#2a2e35',
  '#202329',
  '#16181d',
  '#111317',
  '#0c0d10',
];

/**
 * Most of what is typed is an identifier, which no keyboard may capitalise, correct or complete. Fields for names and
 * sentences say what is other there: see typingOf.
 */
const AS_TYPED = { autoCapitalize: 'none', autoComplete: 'off', autoCorrect: 'off', spellCheck: false };

/**
 * One accent, two weights (400 and 600), and the type scale 12, 13, 14, 16, 20, 26 px. Spacing is Mantine's: 4, 8, 12,
 * 16, 24, 32 px.
 */
export const theme = createTheme({
  fontFamily: 'Inter, system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.4' },
  spacing: { xs: '0.25rem', sm: '0.5rem', md: '0.75rem', lg: '1rem', xl: '1.5rem', xxl: '2rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.25' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.5' },
    },
  },
  colors: { blue, dark },
  primaryColor: 'blue',
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'md',
  radius: { sm: '4px', md: '6px', lg: '10px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    // In a text, a link is told by more than its colour (WCAG 2.2, 1.4.1). style.css makes the line thin.
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    Badge: Badge.extend({
      defaultProps: { tt: 'none', fw: 600, radius: 'sm' },
      styles: { root: { verticalAlign: 'middle' }, section: { marginInlineEnd: 6 } },
    }),
    // Before it is measured, a centred list reaches beyond the right edge. On a phone, the whole page becomes wider
    // then.
    Combobox: Combobox.extend({ defaultProps: { position: 'bottom-start' } }),
    CloseButton: CloseButton.extend({ defaultProps: { iconSize: 16 } }),
    Input: Input.extend({ defaultProps: { ...AS_TYPED } }),
    Menu: Menu.extend({
      defaultProps: { shadow: 'md', position: 'bottom-end', withInitialFocusPlaceholder: false },
      // What is chosen is told at the end, so that all entries begin at one edge.
      styles: { itemIndicator: { order: 1, marginInline: '8px 0' } },
    }),
    Modal: Modal.extend({
      defaultProps: {
        centered: true,
        size: 'lg',
        padding: 'xl',
        closeButtonProps: { 'aria-label': 'Close' },
        // Its <header> is none of the page.
        attributes: { header: { role: 'presentation' } },
      },
      styles: { title: { fontWeight: 600, fontSize: 'var(--mantine-font-size-lg)', lineHeight: 1.4 } },
    }),
    NavLink: NavLink.extend({ defaultProps: { variant: 'light' }, styles: { root: { borderRadius: 6 } } }),
    Paper: Paper.extend({ defaultProps: { withBorder: true } }),
    Skeleton: Skeleton.extend({ defaultProps: { radius: 'sm' } }),
    // The component itself is loaded later.
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md' } } satisfies {
      defaultProps: Partial<TableProps>;
    },
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 400 } }),
  },
});

/** Dimmed texts have a contrast of at least 4.5:1 on every surface. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a616b',
    '--mantine-color-placeholder': '#6a717b',
    '--mantine-color-default-border': '#d3d7dc',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-red-text': '#c92a2a',
    '--mantine-color-teal-light-color': '#05664a',
    '--mantine-color-yellow-light-color': '#5c4100',
    '--mantine-color-red-light-color': '#a61e1e',
    '--mantine-color-gray-light-color': '#41474f',
  },
  dark: {
    '--mantine-color-dimmed': '#a7adb6',
    '--mantine-color-placeholder': '#9aa1ab',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-blue-light': '#223a5f',
    '--mantine-color-blue-light-hover': '#29456f',
    '--mantine-color-blue-light-color': '#cfe0fa',
    '--mantine-color-gray-light': '#383e47',
    '--mantine-color-gray-light-color': '#dde0e4',
  },
});
