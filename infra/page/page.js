// Runs in the reader's browser.

const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

const { apiKey } = await (await fetch('settings.json')).json();
const ui = SwaggerUIBundle({
  url: 'openapi.json',
  domNode: document.getElementById('reference'),
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // Its colours have the contrast.
  syntaxHighlight: { theme: 'tomorrow-night' },
  // By default a badge is loaded from elsewhere.
  validatorUrl: null,
  // An API key belongs on a server: only a page that was given one of a demo sends requests.
  tryItOutEnabled: apiKey !== undefined,
  supportedSubmitMethods: apiKey === undefined ? [] : ['get', 'post', 'patch', 'delete'],
  onComplete: () => apiKey && ui.preauthorizeApiKey('API-KEY', apiKey),
});
