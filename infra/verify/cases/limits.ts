import { MAX_BODY_BYTES } from '../../../lib/http/body.ts';
import { CORS } from '../../template/cors.ts';
import type { Case } from '../case.ts';
import { Skipped } from '../failure.ts';
import { expect } from '../world.ts';

/** More requests than the limited acquirer may send in a window, however they are spread over processes. */
const MOST_REQUESTS = 60;

export const LIMITS: Case[] = [
  {
    name: 'an acquirer that exceeds its rate limit gets 429',
    covers: ['listBranches'],
    run: async (world) => {
      const by = world.party('limited');
      for (let sent = 1; sent <= MOST_REQUESTS; sent += 1) {
        const response = await world.send('listBranches', { by }, 429);
        if (response.status !== 429) continue;
        const { headers } = response;
        expect(Number(headers['retry-after']) > 0, 'has no Retry-After', 'listBranches', response);
        return expect(headers['ratelimit']?.includes('r=0') === true, 'has no RateLimit', 'listBranches', response);
      }
      expect(false, `accepts ${MOST_REQUESTS} requests at a limit of ${by.limit?.burst}`, 'listBranches');
    },
  },
  {
    name: 'requests beyond a limit are refused',
    covers: ['listBranches', 'createBranch', 'createTerminals'],
    run: async (world) => {
      await world.call('listBranches', { query: { per_page: '101' } }, [400, 'invalid_query']);
      const { mid, master_merchant_id } = world.subject();
      const terminals = Array.from({ length: 41 }, () => ({ terminal_id: world.subject().terminal_id }));
      await world.call('createBranch', { body: { mid, master_merchant_id, terminals } }, [422, 'validation_failed']);
      await world.call('createTerminals', { path: { id: mid }, body: { terminals } }, [422, 'validation_failed']);
      await world.call('createBranch', { body: { area: 'a'.repeat(MAX_BODY_BYTES) } }, [400, 'body_too_large']);
      await world.call('createBranch', { body: `{"mid":"${mid}"` }, [400, 'malformed_json']);
    },
  },
  {
    name: 'the docs site may send requests, and no other page',
    covers: ['unknownRoute'],
    run: async (world) => {
      const { siteOrigin, baseUrl } = world.place;
      if (!siteOrigin) throw new Skipped('the stage has no siteOrigin');
      const preflight = async (origin: string) => {
        const headers = {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': CORS.requestHeaders.join(','),
        };
        const response = await fetch(`${baseUrl}/ext/api/v1/merchants`, { method: 'OPTIONS', headers });
        return response.headers.get('access-control-allow-origin');
      };
      expect((await preflight(siteOrigin)) === siteOrigin, `refuses ${siteOrigin}`, 'unknownRoute');
      expect((await preflight('https://verification.invalid')) === null, 'accepts any page', 'unknownRoute');
    },
  },
];
