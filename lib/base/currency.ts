/** What ISO 4217 lists beyond the currencies that Intl keeps: units of account, funds, metals, the digital bolívar. */
const BEYOND_INTL = 'BOV CHE CHW CLF COU MXV USN UYI UYW VED XAD XAG XAU XBA XBB XBC XBD XPD XPT XTS XUA XXX';

/**
 * The currency codes of ISO 4217, and those that Intl still takes for some time after they have gone. New ones come with
 * the runtime, where no package on the registry is as current. Pure, so that bundles drop what they do not use.
 */
export const CURRENCIES: string[] = /* @__PURE__ */ (() => [
  ...Intl.supportedValuesOf('currency'),
  ...BEYOND_INTL.split(' '),
])();
