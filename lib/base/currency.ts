/** ISO 4217 codes that Intl lacks: units of account, funds, metals, the digital bolívar. */
const BEYOND_INTL = 'BOV CHE CHW CLF COU MXV USN UYI UYW VED XAD XAG XAU XBA XBB XBC XBD XPD XPT XTS XUA XXX';

/**
 * The currency codes of ISO 4217, and withdrawn ones that Intl still supports. They come from the runtime, which is
 * more current than any package on the registry.
 */
export const CURRENCIES: string[] = [...Intl.supportedValuesOf('currency'), ...BEYOND_INTL.split(' ')];
