/** What the path of a route names by its first parameter, if that is the id of a branch, terminal or webhook. */
export function namedInPath(route: string): 'mid' | 'tid' | 'webhook' | undefined {
  if (route.includes(' /ext/api/v1/merchants/{')) return 'mid';
  // Terminals are listed and created under the MID of their branch.
  if (/^(?:GET|POST) \/ext\/api\/v1\/terminals\/\{\w+\}$/.test(route)) return 'mid';
  if (route.includes(' /ext/api/v1/terminals/{')) return 'tid';
  return route.includes(' /ext/api/v1/webhooks/{') ? 'webhook' : undefined;
}
