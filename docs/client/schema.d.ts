/** Types of the API, made from docs/openapi.json by openapi-typescript. Do not change them here. */

export interface paths {
    "/ext/api/v1/merchants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List branches
         * @description The branches that are accessible to you, by time of creation. Any page of any list takes about the same time. `total`, membership and order include what you have just created; a status that changed milliseconds ago may show as it was. A page past the end is empty, and its `prev` is the last page.
         */
        get: operations["listBranches"];
        put?: never;
        /**
         * Create a branch
         * @description Creates a branch and, with it, its terminals and the business that owns it: all or nothing. Give either `existing_master_merchant` or `master_merchant_id`. A distributor names a `payment_provider` that is its partner; a payment provider may name a partner as `distributor`. All field errors are reported at once, unless you name somebody who is not your partner.
         */
        post: operations["createBranch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ext/api/v1/merchants/{mid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a branch
         * @description A branch that is accessible to you, archived ones included.
         */
        get: operations["getBranch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ext/api/v1/merchants/{mid}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Archive a branch
         * @description Archives a branch for good, and all its terminals with it, however many there are. It takes no more terminals.
         */
        patch: operations["archiveBranch"];
        trace?: never;
    };
    "/ext/api/v1/terminals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the terminals of a branch
         * @description The terminals of a branch by time of creation; those that one request created keep its order. `total` and membership include what you have just created, deleted or reassigned; a field that changed milliseconds ago may show as it was.
         */
        get: operations["listTerminals"];
        put?: never;
        /**
         * Create terminals for a branch
         * @description Creates 1 to 40 terminals: all or none. `terminal_id` is unique across all terminals, `serial_no` too where it is given. All that is wrong is told at once.
         */
        post: operations["createTerminals"];
        /**
         * Delete a terminal
         * @description Deletes a terminal, whatever its status. Its `terminal_id` and `serial_no` can be used again.
         */
        delete: operations["deleteTerminal"];
        options?: never;
        head?: never;
        /**
         * Update a terminal
         * @description Changes the fields that are sent, and no others; `null` clears one.
         */
        patch: operations["updateTerminal"];
        trace?: never;
    };
    "/ext/api/v1/terminals/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Archive a terminal
         * @description Archives a terminal: it is no longer active for processing.
         */
        patch: operations["archiveTerminal"];
        trace?: never;
    };
    "/ext/api/v1/terminals/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Restore a terminal
         * @description Makes an archived terminal active again, also one that was archived with its branch.
         */
        patch: operations["restoreTerminal"];
        trace?: never;
    };
    "/ext/api/v1/terminals/{id}/reassign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reassign a terminal to another MID
         * @description Moves a terminal to another branch of the same payment provider. Its status goes along.
         */
        post: operations["reassignTerminal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ext/api/v1/lookup/{method}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look up reference data
         * @description What you may name in other calls, for dropdowns: sorted by text, at most 2,500 items; `search` finds the others. `paymentProviders` and `distributors` hold you and your partners, `masterMerchants` businesses, `paymentApp` and `acquirers` what terminals may name. What was added a moment ago can take 30 seconds to show; it can be named at once.
         */
        get: operations["lookup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/host/member-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a member
         * @description Whether a card at a terminal identifies a loyalty member, and the rewards that this transaction reaches. A well-formed request is always 200: what was not found is not told. Card identifiers are never logged.
         */
        post: operations["memberCheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ListedBranch: {
            /**
             * @description MID of the branch. Upper and lower case differ.
             * @example PORTO0001
             */
            mid: string;
            /**
             * @description Display name of the branch.
             * @example Harbour Café
             */
            merchant_name: string | null;
            /**
             * @description Area of the branch.
             * @example Ribeira
             */
            area: string | null;
            /**
             * @description City of the branch.
             * @example Porto
             */
            city: string | null;
            /**
             * @description Display name of the business.
             * @example Harbour Cafés
             */
            master_merchant_name: string | null;
            /**
             * @description Id of the business that owns the branch, unique for its payment provider. On creation it makes a new one.
             * @example HARBOURCAFES
             */
            master_merchant_id: string;
            /**
             * @description A terminal is also `archived` when its branch is.
             * @example active
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             * @example 2026-11-20T09:30:00.000Z
             */
            created_at: string;
        };
        Branch: {
            /**
             * @description MID of the branch. Upper and lower case differ.
             * @example PORTO0001
             */
            mid: string;
            /**
             * @description Display name of the branch.
             * @example Harbour Café
             */
            merchant_name: string | null;
            /**
             * @description Area of the branch.
             * @example Ribeira
             */
            area: string | null;
            /**
             * @description City of the branch.
             * @example Porto
             */
            city: string | null;
            /**
             * @description Display name of the business.
             * @example Harbour Cafés
             */
            master_merchant_name: string | null;
            /**
             * @description Id of the business that owns the branch, unique for its payment provider. On creation it makes a new one.
             * @example HARBOURCAFES
             */
            master_merchant_id: string;
            /**
             * @description A terminal is also `archived` when its branch is.
             * @example active
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             * @example 2026-11-20T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: uuid
             * @description UUID of the business that owns the branch. On creation, either this or `master_merchant_id`.
             * @example 9d3a2f0e-2c5b-5d7e-8f1a-3b4c5d6e7f80
             */
            existing_master_merchant: string;
            /**
             * Format: uuid
             * @description UUID of the payment provider. A distributor must name one of its partners.
             * @example 5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11
             */
            payment_provider: string;
            /**
             * Format: uuid
             * @description UUID of the distributor. A payment provider may name one of its partners.
             * @example 0b7e6c1e-3a52-4c57-9a39-2f8f2f6f7a10
             */
            distributor: string | null;
            /**
             * Format: int64
             * @description How many terminals the branch has.
             * @example 1
             */
            terminal_count: number;
            /**
             * Format: date-time
             * @description When it was last changed itself (RFC 3339, UTC).
             * @example 2026-11-20T09:30:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             * @example null
             */
            archived_at: string | null;
        };
        CreatedBranch: {
            /**
             * @description MID of the branch. Upper and lower case differ.
             * @example PORTO0001
             */
            mid: string;
            /**
             * @description Display name of the branch.
             * @example Harbour Café
             */
            merchant_name: string | null;
            /**
             * @description Area of the branch.
             * @example Ribeira
             */
            area: string | null;
            /**
             * @description City of the branch.
             * @example Porto
             */
            city: string | null;
            /**
             * @description Display name of the business.
             * @example Harbour Cafés
             */
            master_merchant_name: string | null;
            /**
             * @description Id of the business that owns the branch, unique for its payment provider. On creation it makes a new one.
             * @example HARBOURCAFES
             */
            master_merchant_id: string;
            /**
             * @description A terminal is also `archived` when its branch is.
             * @example active
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             * @example 2026-11-20T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: uuid
             * @description UUID of the business that owns the branch. On creation, either this or `master_merchant_id`.
             * @example 9d3a2f0e-2c5b-5d7e-8f1a-3b4c5d6e7f80
             */
            existing_master_merchant: string;
            /**
             * Format: uuid
             * @description UUID of the payment provider. A distributor must name one of its partners.
             * @example 5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11
             */
            payment_provider: string;
            /**
             * Format: uuid
             * @description UUID of the distributor. A payment provider may name one of its partners.
             * @example 0b7e6c1e-3a52-4c57-9a39-2f8f2f6f7a10
             */
            distributor: string | null;
            /**
             * Format: int64
             * @description How many terminals the branch has.
             * @example 1
             */
            terminal_count: number;
            /**
             * Format: date-time
             * @description When it was last changed itself (RFC 3339, UTC).
             * @example 2026-11-20T09:30:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             * @example null
             */
            archived_at: string | null;
            /** @description Terminals of the branch, in this order. */
            terminals: components["schemas"]["Terminal"][];
        };
        Terminal: {
            /**
             * Format: uuid
             * @description TID: the UUID by which operations name the terminal.
             * @example 7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a
             */
            tid: string;
            /**
             * @description Id of the terminal, unique across all terminals.
             * @example T0000001
             */
            terminal_id: string;
            /**
             * @description Serial number, unique where there is one.
             * @example SN20260001
             */
            serial_no: string | null;
            /**
             * @description Model of the terminal.
             * @example Countertop 3
             */
            terminal_model: string | null;
            /**
             * @description Name of one of your payment apps: see the lookup `paymentApp`.
             * @example Checkout Go
             */
            payment_app: string | null;
            /**
             * @description Name of one of your master acquirers: see the lookup `acquirers`.
             * @example Atlantic Acquiring
             */
            acquirer_name: string | null;
            /**
             * @description MID of the branch. Upper and lower case differ.
             * @example PORTO0001
             */
            mid: string;
            /**
             * @description A terminal is also `archived` when its branch is.
             * @example active
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             * @example 2026-11-20T09:30:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed itself (RFC 3339, UTC).
             * @example 2026-11-20T09:30:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             * @example null
             */
            archived_at: string | null;
            /**
             * @description Why it was archived.
             * @example null
             */
            archive_reason: string | null;
        };
        DeletedTerminal: {
            /**
             * Format: uuid
             * @description TID: the UUID by which operations name the terminal.
             * @example 7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a
             */
            tid: string;
            /**
             * @description Id of the terminal, unique across all terminals.
             * @example T0000001
             */
            terminal_id: string;
        };
        LookupItem: {
            /**
             * @description What requests name it by.
             * @example Checkout Go
             */
            key: string;
            /**
             * @description What people read.
             * @example Checkout Go
             */
            text: string;
        };
        MemberCheck: {
            /**
             * @description Whether card, token and terminal identify a member.
             * @example true
             */
            member_identified: boolean;
            /**
             * @description Whether there are rewards for this transaction.
             * @example true
             */
            rewards_available: boolean;
            /** @description Rewards that this transaction reaches. */
            rewards: {
                /**
                 * @description Id of the reward.
                 * @example WELCOME
                 */
                reward_id: string;
                /**
                 * @description Name of the reward.
                 * @example Welcome
                 */
                name: string;
                /**
                 * @description Currency (ISO 4217).
                 * @example EUR
                 */
                currency: string;
                /**
                 * Format: double
                 * @description Amount from which the reward counts.
                 * @example 10
                 */
                minimum_amount: number;
                /**
                 * Format: date-time
                 * @description From when the reward counts (RFC 3339, UTC).
                 * @example 2026-01-01T00:00:00.000Z
                 */
                valid_from: string;
                /**
                 * Format: date-time
                 * @description Until when the reward counts (RFC 3339, UTC).
                 * @example 2027-01-01T00:00:00.000Z
                 */
                expires_at: string;
            }[];
        };
        Links: {
            /** Format: uri */
            first: string;
            /** Format: uri */
            last: string;
            /** Format: uri */
            prev: string | null;
            /** Format: uri */
            next: string | null;
        };
        Meta: {
            /** Format: int64 */
            current_page: number;
            /** Format: int64 */
            per_page: number;
            /** Format: int64 */
            total: number;
        };
        Problem: {
            /**
             * Format: uri
             * @description URL of what is to be known about this code.
             */
            type: string;
            /** @description What the code means. */
            title: string;
            /**
             * Format: int32
             * @description The HTTP status.
             */
            status: number;
            /** @description What to change. */
            detail: string;
            /**
             * @description One per cause; it never changes.
             * @enum {string}
             */
            code: "invalid_api_key" | "rate_limited" | "invalid_query" | "invalid_idempotency_key" | "malformed_json" | "validation_failed" | "idempotency_key_reused" | "not_found" | "not_under_requesting_psp" | "already_archived" | "not_archived" | "branch_archived" | "already_under_target_mid" | "server_error";
            /** @description Id of the request, as in `X-Request-Id`. */
            request_id: string;
        };
        ValidationProblem: {
            /**
             * Format: uri
             * @description URL of what is to be known about this code.
             */
            type: string;
            /** @description What the code means. */
            title: string;
            /**
             * Format: int32
             * @description The HTTP status.
             */
            status: number;
            /** @description What to change. */
            detail: string;
            /**
             * @description One per cause; it never changes.
             * @enum {string}
             */
            code: "invalid_api_key" | "rate_limited" | "invalid_query" | "invalid_idempotency_key" | "malformed_json" | "validation_failed" | "idempotency_key_reused" | "not_found" | "not_under_requesting_psp" | "already_archived" | "not_archived" | "branch_archived" | "already_under_target_mid" | "server_error";
            /** @description Id of the request, as in `X-Request-Id`. */
            request_id: string;
            /** @description All that is wrong, at once. */
            errors: {
                /** @description JSON Pointer (RFC 6901) to the field in the request body. */
                pointer: string;
                /** @description Kind of the fault; it never changes. */
                code: string;
                /** @description What to change. */
                detail: string;
            }[];
        };
    };
    responses: {
        /** @description Too many requests, and nothing was executed. A problem document: you exceeded your limit; repeat after `Retry-After`. A `message` alone: all callers together exceeded the limit of the gateway; wait, longer each time, and repeat. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": {
                    /** @constant */
                    status?: 429;
                    /** @enum {unknown} */
                    code?: "rate_limited";
                } & components["schemas"]["Problem"];
                /**
                 * @example {
                 *       "message": "Too Many Requests"
                 *     }
                 */
                "application/json": {
                    message: string;
                };
            };
        };
    };
    parameters: {
        /**
         * @description Any text of your own, a new one for each request. The same request with the same key within 24 hours is answered as the first time, and not executed again.
         * @example create-porto0001
         */
        "Idempotency-Key": string;
    };
    requestBodies: never;
    headers: {
        /** @description Id of the request: quote it when you ask about one. */
        "X-Request-Id": string;
        /** @description Your limit: `q` requests in each window of `w` seconds (draft-ietf-httpapi-ratelimit-headers-10). Absent while you have none. */
        "RateLimit-Policy": string;
        /** @description About `r` requests are left in this window; the next window starts in `t` seconds. */
        RateLimit: string;
        /** @description Seconds after which to repeat the request, where that can help. */
        "Retry-After": number;
        /** @description Where to read what was created. */
        Location: string;
        /** @description The answer is an earlier one, and nothing was executed. */
        "Idempotent-Replayed": "true";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBranches: {
        parameters: {
            query?: {
                /** @description By `created_at`: the newest first (`desc`), or the oldest. */
                sort?: "asc" | "desc";
                /** @description Items per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of branches. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "mid": "PORTO0001",
                     *           "merchant_name": "Harbour Café",
                     *           "area": "Ribeira",
                     *           "city": "Porto",
                     *           "master_merchant_name": "Harbour Cafés",
                     *           "master_merchant_id": "HARBOURCAFES",
                     *           "status": "active",
                     *           "created_at": "2026-11-20T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "links": {
                     *         "first": "https://api.acquirer.example/ext/api/v1/merchants?page=1",
                     *         "last": "https://api.acquirer.example/ext/api/v1/merchants?page=1",
                     *         "prev": null,
                     *         "next": null
                     *       },
                     *       "meta": {
                     *         "current_page": 1,
                     *         "per_page": 10,
                     *         "total": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["ListedBranch"][];
                        links: components["schemas"]["Links"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description Invalid query parameter; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "invalid_query" | "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    createBranch: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own, a new one for each request. The same request with the same key within 24 hours is answered as the first time, and not executed again.
                 * @example create-porto0001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mid": "PORTO0001",
                 *       "branch_name": "Harbour Café",
                 *       "area": "Ribeira",
                 *       "city": "Porto",
                 *       "master_merchant_id": "HARBOURCAFES",
                 *       "master_merchant_name": "Harbour Cafés",
                 *       "terminals": [
                 *         {
                 *           "terminal_id": "T0000001",
                 *           "terminal_model": "Countertop 3"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description MID of the branch. Upper and lower case differ.
                     * @example PORTO0001
                     */
                    mid: string;
                    /**
                     * @description Display name of the branch; answers call it `merchant_name`.
                     * @example Harbour Café
                     */
                    branch_name?: string | null;
                    /**
                     * @description Area of the branch.
                     * @example Ribeira
                     */
                    area?: string | null;
                    /**
                     * @description City of the branch.
                     * @example Porto
                     */
                    city?: string | null;
                    /**
                     * Format: uuid
                     * @description UUID of the business that owns the branch. On creation, either this or `master_merchant_id`.
                     * @example 9d3a2f0e-2c5b-5d7e-8f1a-3b4c5d6e7f80
                     */
                    existing_master_merchant?: string | null;
                    /**
                     * @description Id of the business that owns the branch, unique for its payment provider. On creation it makes a new one.
                     * @example HARBOURCAFES
                     */
                    master_merchant_id?: string | null;
                    /**
                     * @description Display name of the business.
                     * @example Harbour Cafés
                     */
                    master_merchant_name?: string | null;
                    /**
                     * Format: email
                     * @description E-mail address of the new business.
                     * @example office@example.com
                     */
                    email?: string | null;
                    /**
                     * @description Country code of the new business.
                     * @example PT
                     */
                    country_code?: string | null;
                    /**
                     * @description Telephone number of the new business.
                     * @example +351 222 000 000
                     */
                    phone?: string | null;
                    /**
                     * @description Merchant category code of the new business.
                     * @example 5814
                     */
                    mcc?: string | null;
                    /**
                     * @description Country of the new business.
                     * @example Portugal
                     */
                    country?: string | null;
                    /** @description Terminals of the branch, in this order. */
                    terminals?: {
                        /**
                         * @description Id of the terminal, unique across all terminals.
                         * @example T0000001
                         */
                        terminal_id: string;
                        /**
                         * @description Model of the terminal.
                         * @example Countertop 3
                         */
                        terminal_model?: string | null;
                    }[] | null;
                    /**
                     * Format: uuid
                     * @description UUID of the payment provider. A distributor must name one of its partners.
                     * @example 5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11
                     */
                    payment_provider?: string | null;
                    /**
                     * Format: uuid
                     * @description UUID of the distributor. A payment provider may name one of its partners.
                     * @example 0b7e6c1e-3a52-4c57-9a39-2f8f2f6f7a10
                     */
                    distributor?: string | null;
                };
            };
        };
        responses: {
            /** @description The branch was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "mid": "PORTO0001",
                     *         "merchant_name": "Harbour Café",
                     *         "area": "Ribeira",
                     *         "city": "Porto",
                     *         "master_merchant_name": "Harbour Cafés",
                     *         "master_merchant_id": "HARBOURCAFES",
                     *         "status": "active",
                     *         "created_at": "2026-11-20T09:30:00.000Z",
                     *         "existing_master_merchant": "9d3a2f0e-2c5b-5d7e-8f1a-3b4c5d6e7f80",
                     *         "payment_provider": "5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11",
                     *         "distributor": "0b7e6c1e-3a52-4c57-9a39-2f8f2f6f7a10",
                     *         "terminal_count": 1,
                     *         "updated_at": "2026-11-20T09:30:00.000Z",
                     *         "archived_at": null,
                     *         "terminals": [
                     *           {
                     *             "tid": "7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a",
                     *             "terminal_id": "T0000001",
                     *             "serial_no": "SN20260001",
                     *             "terminal_model": "Countertop 3",
                     *             "payment_app": "Checkout Go",
                     *             "acquirer_name": "Atlantic Acquiring",
                     *             "mid": "PORTO0001",
                     *             "status": "active",
                     *             "created_at": "2026-11-20T09:30:00.000Z",
                     *             "updated_at": "2026-11-20T09:30:00.000Z",
                     *             "archived_at": null,
                     *             "archive_reason": null
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["CreatedBranch"];
                    };
                };
            };
            /** @description Malformed JSON; Invalid Idempotency-Key; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "malformed_json" | "invalid_idempotency_key" | "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Validation failed; Idempotency-Key reused */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 422;
                        /** @enum {unknown} */
                        code?: "validation_failed" | "idempotency_key_reused";
                    } & components["schemas"]["ValidationProblem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    getBranch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description MID of a branch that is accessible to you.
                 * @example PORTO0001
                 */
                mid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The branch. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "mid": "PORTO0001",
                     *         "merchant_name": "Harbour Café",
                     *         "area": "Ribeira",
                     *         "city": "Porto",
                     *         "master_merchant_name": "Harbour Cafés",
                     *         "master_merchant_id": "HARBOURCAFES",
                     *         "status": "active",
                     *         "created_at": "2026-11-20T09:30:00.000Z",
                     *         "existing_master_merchant": "9d3a2f0e-2c5b-5d7e-8f1a-3b4c5d6e7f80",
                     *         "payment_provider": "5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11",
                     *         "distributor": "0b7e6c1e-3a52-4c57-9a39-2f8f2f6f7a10",
                     *         "terminal_count": 1,
                     *         "updated_at": "2026-11-20T09:30:00.000Z",
                     *         "archived_at": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Branch"];
                    };
                };
            };
            /** @description Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 404;
                        /** @enum {unknown} */
                        code?: "not_found";
                    } & components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    archiveBranch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description MID of a branch that is accessible to you.
                 * @example PORTO0001
                 */
                mid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The branch, archived. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "mid": "PORTO0001",
                     *         "merchant_name": "Harbour Café",
                     *         "area": "Ribeira",
                     *         "city": "Porto",
                     *         "master_merchant_name": "Harbour Cafés",
                     *         "master_merchant_id": "HARBOURCAFES",
                     *         "status": "active",
                     *         "created_at": "2026-11-20T09:30:00.000Z",
                     *         "existing_master_merchant": "9d3a2f0e-2c5b-5d7e-8f1a-3b4c5d6e7f80",
                     *         "payment_provider": "5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11",
                     *         "distributor": "0b7e6c1e-3a52-4c57-9a39-2f8f2f6f7a10",
                     *         "terminal_count": 1,
                     *         "updated_at": "2026-11-20T09:30:00.000Z",
                     *         "archived_at": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Branch"];
                    };
                };
            };
            /** @description Already archived; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "already_archived" | "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 404;
                        /** @enum {unknown} */
                        code?: "not_found";
                    } & components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    listTerminals: {
        parameters: {
            query?: {
                /** @description By `created_at`: the newest first (`desc`), or the oldest. */
                sort?: "asc" | "desc";
                /** @description Items per page. */
                per_page?: number;
                /** @description Number of the page. */
                page?: number;
            };
            header?: never;
            path: {
                /**
                 * @description MID of a branch that is accessible to you.
                 * @example PORTO0001
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of terminals. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "tid": "7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a",
                     *           "terminal_id": "T0000001",
                     *           "serial_no": "SN20260001",
                     *           "terminal_model": "Countertop 3",
                     *           "payment_app": "Checkout Go",
                     *           "acquirer_name": "Atlantic Acquiring",
                     *           "mid": "PORTO0001",
                     *           "status": "active",
                     *           "created_at": "2026-11-20T09:30:00.000Z",
                     *           "updated_at": "2026-11-20T09:30:00.000Z",
                     *           "archived_at": null,
                     *           "archive_reason": null
                     *         }
                     *       ],
                     *       "links": {
                     *         "first": "https://api.acquirer.example/ext/api/v1/merchants?page=1",
                     *         "last": "https://api.acquirer.example/ext/api/v1/merchants?page=1",
                     *         "prev": null,
                     *         "next": null
                     *       },
                     *       "meta": {
                     *         "current_page": 1,
                     *         "per_page": 10,
                     *         "total": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Terminal"][];
                        links: components["schemas"]["Links"];
                        meta: components["schemas"]["Meta"];
                    };
                };
            };
            /** @description Invalid query parameter; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "invalid_query" | "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 404;
                        /** @enum {unknown} */
                        code?: "not_found";
                    } & components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    createTerminals: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own, a new one for each request. The same request with the same key within 24 hours is answered as the first time, and not executed again.
                 * @example create-porto0001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description MID of a branch that is accessible to you.
                 * @example PORTO0001
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "terminals": [
                 *         {
                 *           "terminal_id": "T0000002",
                 *           "serial_no": "SN20260002",
                 *           "terminal_model": "Handheld 2",
                 *           "payment_app": "Checkout Go",
                 *           "acquirer_name": "Atlantic Acquiring"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Terminals of the branch, in this order. */
                    terminals: {
                        /**
                         * @description Id of the terminal, unique across all terminals.
                         * @example T0000001
                         */
                        terminal_id: string;
                        /**
                         * @description Serial number, unique where there is one.
                         * @example SN20260001
                         */
                        serial_no?: string | null;
                        /**
                         * @description Model of the terminal.
                         * @example Countertop 3
                         */
                        terminal_model?: string | null;
                        /**
                         * @description Name of one of your payment apps: see the lookup `paymentApp`.
                         * @example Checkout Go
                         */
                        payment_app?: string | null;
                        /**
                         * @description Name of one of your master acquirers: see the lookup `acquirers`.
                         * @example Atlantic Acquiring
                         */
                        acquirer_name?: string | null;
                    }[];
                };
            };
        };
        responses: {
            /** @description The terminals were created. `Location` is the list of the branch’s terminals. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "tid": "7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a",
                     *           "terminal_id": "T0000001",
                     *           "serial_no": "SN20260001",
                     *           "terminal_model": "Countertop 3",
                     *           "payment_app": "Checkout Go",
                     *           "acquirer_name": "Atlantic Acquiring",
                     *           "mid": "PORTO0001",
                     *           "status": "active",
                     *           "created_at": "2026-11-20T09:30:00.000Z",
                     *           "updated_at": "2026-11-20T09:30:00.000Z",
                     *           "archived_at": null,
                     *           "archive_reason": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Terminal"][];
                    };
                };
            };
            /** @description Malformed JSON; Invalid Idempotency-Key; Branch archived; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "malformed_json" | "invalid_idempotency_key" | "branch_archived" | "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 404;
                        /** @enum {unknown} */
                        code?: "not_found";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Validation failed; Idempotency-Key reused */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 422;
                        /** @enum {unknown} */
                        code?: "validation_failed" | "idempotency_key_reused";
                    } & components["schemas"]["ValidationProblem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    deleteTerminal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description TID: the UUID of a terminal.
                 * @example 7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was deleted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "tid": "7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a",
                     *         "terminal_id": "T0000001"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["DeletedTerminal"];
                    };
                };
            };
            /** @description Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 404;
                        /** @enum {unknown} */
                        code?: "not_found";
                    } & components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    updateTerminal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description TID: the UUID of a terminal.
                 * @example 7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "terminal_model": "Handheld 2",
                 *       "serial_no": null
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Serial number, unique where there is one.
                     * @example SN20260001
                     */
                    serial_no?: string | null;
                    /**
                     * @description Model of the terminal.
                     * @example Countertop 3
                     */
                    terminal_model?: string | null;
                    /**
                     * @description Name of one of your payment apps: see the lookup `paymentApp`.
                     * @example Checkout Go
                     */
                    payment_app?: string | null;
                    /**
                     * @description Name of one of your master acquirers: see the lookup `acquirers`.
                     * @example Atlantic Acquiring
                     */
                    acquirer_name?: string | null;
                };
            };
        };
        responses: {
            /** @description The terminal as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "tid": "7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a",
                     *         "terminal_id": "T0000001",
                     *         "serial_no": "SN20260001",
                     *         "terminal_model": "Countertop 3",
                     *         "payment_app": "Checkout Go",
                     *         "acquirer_name": "Atlantic Acquiring",
                     *         "mid": "PORTO0001",
                     *         "status": "active",
                     *         "created_at": "2026-11-20T09:30:00.000Z",
                     *         "updated_at": "2026-11-20T09:30:00.000Z",
                     *         "archived_at": null,
                     *         "archive_reason": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                    };
                };
            };
            /** @description Malformed JSON; Not under the requesting PSP; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "malformed_json" | "not_under_requesting_psp" | "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 404;
                        /** @enum {unknown} */
                        code?: "not_found";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Validation failed */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 422;
                        /** @enum {unknown} */
                        code?: "validation_failed";
                    } & components["schemas"]["ValidationProblem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    archiveTerminal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description TID: the UUID of a terminal.
                 * @example 7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Sent to repair"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Why the terminal is archived.
                     * @example Sent to repair
                     */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The terminal, archived. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "tid": "7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a",
                     *         "terminal_id": "T0000001",
                     *         "serial_no": "SN20260001",
                     *         "terminal_model": "Countertop 3",
                     *         "payment_app": "Checkout Go",
                     *         "acquirer_name": "Atlantic Acquiring",
                     *         "mid": "PORTO0001",
                     *         "status": "active",
                     *         "created_at": "2026-11-20T09:30:00.000Z",
                     *         "updated_at": "2026-11-20T09:30:00.000Z",
                     *         "archived_at": null,
                     *         "archive_reason": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                    };
                };
            };
            /** @description Malformed JSON; Already archived; Not under the requesting PSP; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "malformed_json" | "already_archived" | "not_under_requesting_psp" | "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 404;
                        /** @enum {unknown} */
                        code?: "not_found";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Validation failed */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 422;
                        /** @enum {unknown} */
                        code?: "validation_failed";
                    } & components["schemas"]["ValidationProblem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    restoreTerminal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description TID: the UUID of a terminal.
                 * @example 7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The terminal, active. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "tid": "7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a",
                     *         "terminal_id": "T0000001",
                     *         "serial_no": "SN20260001",
                     *         "terminal_model": "Countertop 3",
                     *         "payment_app": "Checkout Go",
                     *         "acquirer_name": "Atlantic Acquiring",
                     *         "mid": "PORTO0001",
                     *         "status": "active",
                     *         "created_at": "2026-11-20T09:30:00.000Z",
                     *         "updated_at": "2026-11-20T09:30:00.000Z",
                     *         "archived_at": null,
                     *         "archive_reason": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                    };
                };
            };
            /** @description Not archived; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "not_archived" | "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 404;
                        /** @enum {unknown} */
                        code?: "not_found";
                    } & components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    reassignTerminal: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own, a new one for each request. The same request with the same key within 24 hours is answered as the first time, and not executed again.
                 * @example create-porto0001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description TID: the UUID of a terminal.
                 * @example 7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mid": "PORTO0002"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description MID of the branch. Upper and lower case differ.
                     * @example PORTO0001
                     */
                    mid: string;
                };
            };
        };
        responses: {
            /** @description The terminal under its new MID. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "tid": "7f7f4c22-6d0b-5b0e-9a39-3f4b8f2f6f7a",
                     *         "terminal_id": "T0000001",
                     *         "serial_no": "SN20260001",
                     *         "terminal_model": "Countertop 3",
                     *         "payment_app": "Checkout Go",
                     *         "acquirer_name": "Atlantic Acquiring",
                     *         "mid": "PORTO0001",
                     *         "status": "active",
                     *         "created_at": "2026-11-20T09:30:00.000Z",
                     *         "updated_at": "2026-11-20T09:30:00.000Z",
                     *         "archived_at": null,
                     *         "archive_reason": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                    };
                };
            };
            /** @description Malformed JSON; Invalid Idempotency-Key; Not under the requesting PSP; Already under the target MID; Branch archived; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "malformed_json" | "invalid_idempotency_key" | "not_under_requesting_psp" | "already_under_target_mid" | "branch_archived" | "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 404;
                        /** @enum {unknown} */
                        code?: "not_found";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Validation failed; Idempotency-Key reused */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 422;
                        /** @enum {unknown} */
                        code?: "validation_failed" | "idempotency_key_reused";
                    } & components["schemas"]["ValidationProblem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    lookup: {
        parameters: {
            query?: {
                /** @description Part of the text, in any case. */
                search?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Which list.
                 * @example paymentApp
                 */
                method: "paymentProviders" | "distributors" | "acquirers" | "paymentApp" | "masterMerchants";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The items. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "key": "Checkout Go",
                     *           "text": "Checkout Go"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["LookupItem"][];
                    };
                };
            };
            /** @description Invalid query parameter; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "invalid_query" | "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 404;
                        /** @enum {unknown} */
                        code?: "not_found";
                    } & components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    memberCheck: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 12.5,
                 *       "card_id": "card-of-a-member",
                 *       "card_pseudo_token": "token-of-the-card",
                 *       "currency": "EUR",
                 *       "terminal_id": "T0000001",
                 *       "acquirer_id": "5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Amount of the transaction, in major units of its currency.
                     * @example 12.5
                     */
                    amount: number;
                    /**
                     * @description Identifier of the card.
                     * @example card-of-a-member
                     */
                    card_id: string;
                    /**
                     * @description Pseudo token of the card.
                     * @example token-of-the-card
                     */
                    card_pseudo_token: string;
                    /**
                     * @description Currency (ISO 4217).
                     * @example EUR
                     * @enum {string}
                     */
                    currency: "AED" | "AFN" | "ALL" | "AMD" | "ANG" | "AOA" | "ARS" | "AUD" | "AWG" | "AZN" | "BAM" | "BBD" | "BDT" | "BGN" | "BHD" | "BIF" | "BMD" | "BND" | "BOB" | "BRL" | "BSD" | "BTN" | "BWP" | "BYN" | "BZD" | "CAD" | "CDF" | "CHF" | "CLP" | "CNY" | "COP" | "CRC" | "CUC" | "CUP" | "CVE" | "CZK" | "DJF" | "DKK" | "DOP" | "DZD" | "EGP" | "ERN" | "ETB" | "EUR" | "FJD" | "FKP" | "GBP" | "GEL" | "GHS" | "GIP" | "GMD" | "GNF" | "GTQ" | "GYD" | "HKD" | "HNL" | "HRK" | "HTG" | "HUF" | "IDR" | "ILS" | "INR" | "IQD" | "IRR" | "ISK" | "JMD" | "JOD" | "JPY" | "KES" | "KGS" | "KHR" | "KMF" | "KPW" | "KRW" | "KWD" | "KYD" | "KZT" | "LAK" | "LBP" | "LKR" | "LRD" | "LSL" | "LYD" | "MAD" | "MDL" | "MGA" | "MKD" | "MMK" | "MNT" | "MOP" | "MRU" | "MUR" | "MVR" | "MWK" | "MXN" | "MYR" | "MZN" | "NAD" | "NGN" | "NIO" | "NOK" | "NPR" | "NZD" | "OMR" | "PAB" | "PEN" | "PGK" | "PHP" | "PKR" | "PLN" | "PYG" | "QAR" | "RON" | "RSD" | "RUB" | "RWF" | "SAR" | "SBD" | "SCR" | "SDG" | "SEK" | "SGD" | "SHP" | "SLE" | "SLL" | "SOS" | "SRD" | "SSP" | "STN" | "SVC" | "SYP" | "SZL" | "THB" | "TJS" | "TMT" | "TND" | "TOP" | "TRY" | "TTD" | "TWD" | "TZS" | "UAH" | "UGX" | "USD" | "UYU" | "UZS" | "VES" | "VND" | "VUV" | "WST" | "XAF" | "XCD" | "XCG" | "XDR" | "XOF" | "XPF" | "XSU" | "YER" | "ZAR" | "ZMW" | "ZWG" | "ZWL" | "BOV" | "CHE" | "CHW" | "CLF" | "COU" | "MXV" | "USN" | "UYI" | "UYW" | "VED" | "XAD" | "XAG" | "XAU" | "XBA" | "XBB" | "XBC" | "XBD" | "XPD" | "XPT" | "XTS" | "XUA" | "XXX";
                    /**
                     * @description Id of the terminal, unique across all terminals.
                     * @example T0000001
                     */
                    terminal_id: string;
                    /**
                     * @description Your UUID, or that of the payment provider of the terminal’s branch.
                     * @example 5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11
                     */
                    acquirer_id: string;
                };
            };
        };
        responses: {
            /** @description The request was processed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "member_identified": true,
                     *         "rewards_available": true,
                     *         "rewards": [
                     *           {
                     *             "reward_id": "WELCOME",
                     *             "name": "Welcome",
                     *             "currency": "EUR",
                     *             "minimum_amount": 10,
                     *             "valid_from": "2026-01-01T00:00:00.000Z",
                     *             "expires_at": "2027-01-01T00:00:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["MemberCheck"];
                    };
                };
            };
            /** @description Malformed JSON; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "malformed_json" | "server_error";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "invalid_api_key";
                    } & components["schemas"]["Problem"];
                };
            };
            /** @description Validation failed */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": {
                        /** @constant */
                        status?: 422;
                        /** @enum {unknown} */
                        code?: "validation_failed";
                    } & components["schemas"]["ValidationProblem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
}
