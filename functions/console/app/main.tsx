import './style.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { queryClient } from './api/queryClient.ts';
import { hideForeignKeys } from './shared/keys.ts';
import { cssVariables, theme } from './theme.ts';

/** The page's nonce, which styles that are made at run time need (Content-Security-Policy). */
const nonce = (document.querySelector('script[nonce]') as HTMLScriptElement).nonce;
// Dialogs keep the page from scrolling by a style of react-remove-scroll, which reads the nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

hideForeignKeys();

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
