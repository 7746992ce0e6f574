/** Types of the API, generated from docs/openapi.json by openapi-typescript. Do not edit. */

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
         * @description Returns the branches that are accessible to you, sorted by time of creation. Every page takes about the same time, however long the list is. `total`, membership and order include branches that were just created; a status that changed milliseconds ago may be outdated. A page past the end is empty, and its `prev` is the last page. With `search`, it returns the branches in which each word that you send begins a word of the name, area, city or master merchant’s name, or begins the MID or `master_merchant_id`; case and accents do not matter. Send 1 to 5 words, each of at least 2 letters or digits. Of a branch, the first 12 words count. If all words are very common, matches can be missing, and the warning `too_many_matches` says so. Roles of API keys: `viewer`, `operator`, `full`.
         */
        get: operations["listBranches"];
        put?: never;
        /**
         * Create a branch
         * @description Creates a branch with its terminals and, if it is new, its master merchant: all or nothing. Send `existing_master_merchant` or `master_merchant_id`, or both if they identify the same master merchant; `null` and blank texts do not count. Other details of an existing master merchant must match the stored ones. A distributor must send the `payment_provider`, one of its partners; a payment provider may send a partner as `distributor`. All field errors are reported at once, except when you name an acquirer that is not your partner. Roles of API keys: `operator`, `full`.
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
         * @description Returns a branch that is accessible to you, even if it is archived. Roles of API keys: `viewer`, `operator`, `full`.
         */
        get: operations["getBranch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a branch
         * @description Changes only the fields that you send, also of an archived branch. `null` or a blank text clears a field. The master merchant cannot be changed. Roles of API keys: `operator`, `full`.
         */
        patch: operations["updateBranch"];
        trace?: never;
    };
    "/ext/api/v1/merchants/{mid}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the history of a branch
         * @description Returns the events of a branch and its terminals, the newest first: who changed what, and when. For the next page, send `meta.next` as `before`; it is `null` at the end. A change can take some milliseconds to appear. Roles of API keys: `viewer`, `operator`, `full`.
         */
        get: operations["getBranchHistory"];
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
         * @description Archives a branch and all of its terminals. Terminals cannot be added to it until it is restored. Roles of API keys: `operator`, `full`.
         */
        patch: operations["archiveBranch"];
        trace?: never;
    };
    "/ext/api/v1/merchants/{mid}/restore": {
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
         * Restore a branch
         * @description Makes an archived branch active again, and with it the terminals that were archived with it. Terminals that were archived by themselves stay archived. Roles of API keys: `operator`, `full`.
         */
        patch: operations["restoreBranch"];
        trace?: never;
    };
    "/ext/api/v1/terminals/{mid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the terminals of a branch
         * @description Returns the terminals of a branch, sorted by time of creation. Terminals created by the same request keep its order. `total` and membership include terminals that were just created, deleted or reassigned; a field that changed milliseconds ago may be outdated. Roles of API keys: `viewer`, `operator`, `full`.
         */
        get: operations["listTerminals"];
        put?: never;
        /**
         * Create terminals for a branch
         * @description Creates 1 to 40 terminals: all or none. Each `terminal_id`, and each `serial_no` if present, must be unique across all terminals. All field errors are reported at once. Roles of API keys: `operator`, `full`.
         */
        post: operations["createTerminals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ext/api/v1/terminals/{tid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a terminal
         * @description Deletes a terminal, whatever its status. Its `terminal_id` and `serial_no` can be used again. Roles of API keys: `full`.
         */
        delete: operations["deleteTerminal"];
        options?: never;
        head?: never;
        /**
         * Update a terminal
         * @description Changes only the fields that you send. `null` or a blank text clears a field. Roles of API keys: `operator`, `full`.
         */
        patch: operations["updateTerminal"];
        trace?: never;
    };
    "/ext/api/v1/terminals/{tid}/archive": {
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
         * @description Archives a terminal. It is no longer active for processing. Roles of API keys: `operator`, `full`.
         */
        patch: operations["archiveTerminal"];
        trace?: never;
    };
    "/ext/api/v1/terminals/{tid}/restore": {
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
         * @description Makes an archived terminal active again, even if it was archived with its branch. Roles of API keys: `operator`, `full`.
         */
        patch: operations["restoreTerminal"];
        trace?: never;
    };
    "/ext/api/v1/terminals/{tid}/reassign": {
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
         * @description Moves a terminal to another branch of the same payment provider. Its status is unchanged. Roles of API keys: `operator`, `full`.
         */
        post: operations["reassignTerminal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ext/api/v1/terminals/{tid}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the history of a terminal
         * @description Returns the events of a terminal from the time when it was accessible to you, the newest first, with those that archived or restored its branch while it was there. For the next page, send `meta.next` as `before`; it is `null` at the end. If a terminal is deleted, its history stays readable for the acquirers that could access it last. A change can take some milliseconds to appear. Roles of API keys: `viewer`, `operator`, `full`.
         */
        get: operations["getTerminalHistory"];
        put?: never;
        post?: never;
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
         * @description Returns the values that you can use in other requests, for dropdowns: sorted by text, at most 1,000 items. `search` returns those whose text contains it; case and accents do not matter. Of `masterMerchants`, it also searches the `master_merchant_id`, and a list of more than 1 MB is searched by words, like branches. If items may be missing, `warnings` says so. `paymentProviders` and `distributors` list you and your partners, `masterMerchants` the master merchants that you can use, and `paymentApp` and `acquirers` values for terminals. A new value can be used at once, but can take 30 seconds to appear. Roles of API keys: `viewer`, `operator`, `full`.
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
    "/ext/api/v1/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find a terminal, branch or master merchant
         * @description Returns the resource with an identifier. Send exactly one of `tid`, `terminal_id`, `serial_no`, `mid` and `master_merchant_id`; the `type` in the response says what `data` is. A `master_merchant_id` is unique per payment provider only, so a distributor must also send `payment_provider`. White space around a value is ignored. Changes are visible at once. Returns 404 if there is no such resource or it is not accessible to you. Roles of API keys: `viewer`, `operator`, `full`.
         */
        get: operations["find"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ext/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Returns every change of the branches and terminals that are accessible to you, the oldest first. The feed is complete and in order, and never changes. Without `after`, it starts with the oldest retained event. For the next page, send `meta.next` as `after`. `after=now` returns only a cursor: get one before you read the lists for the first time. An event appears about 25 seconds after its change, when no earlier event can still arrive. Roles of API keys: `viewer`, `operator`, `full`.
         */
        get: operations["listEvents"];
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
         * @description Checks whether a card at a terminal identifies a loyalty member, and returns the rewards that apply to the transaction. A valid request always returns 200, and the response does not say why no member was identified. Card identifiers are never logged. Roles of API keys: `till`, `full`.
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
            /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
            mid: string;
            /** @description Display name of the branch. */
            merchant_name: string | null;
            /** @description Area of the branch. */
            area: string | null;
            /** @description City of the branch. */
            city: string | null;
            /** @description Display name of the master merchant. */
            master_merchant_name: string | null;
            /** @description Id of the master merchant, unique per payment provider. A create uses the master merchant with this id, or creates it if there is none. */
            master_merchant_id: string;
            /**
             * @description Whether the branch is archived.
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it, or how many terminals it has, last changed (RFC 3339, UTC).
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             */
            archived_at: string | null;
        };
        Branch: {
            /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
            mid: string;
            /** @description Display name of the branch. */
            merchant_name: string | null;
            /** @description Area of the branch. */
            area: string | null;
            /** @description City of the branch. */
            city: string | null;
            /** @description Display name of the master merchant. */
            master_merchant_name: string | null;
            /** @description Id of the master merchant, unique per payment provider. A create uses the master merchant with this id, or creates it if there is none. */
            master_merchant_id: string;
            /**
             * @description Whether the branch is archived.
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it, or how many terminals it has, last changed (RFC 3339, UTC).
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             */
            archived_at: string | null;
            /**
             * Format: uuid
             * @description UUID of the master merchant: the business that owns the branch.
             */
            existing_master_merchant: string;
            /**
             * Format: uuid
             * @description UUID of the payment provider. A distributor must name one of its partners.
             */
            payment_provider: string;
            /**
             * Format: uuid
             * @description UUID of the distributor. A payment provider may name one of its partners.
             */
            distributor: string | null;
            /**
             * Format: int32
             * @description How many terminals the branch has.
             */
            terminal_count: number;
        };
        CreatedBranch: {
            /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
            mid: string;
            /** @description Display name of the branch. */
            merchant_name: string | null;
            /** @description Area of the branch. */
            area: string | null;
            /** @description City of the branch. */
            city: string | null;
            /** @description Display name of the master merchant. */
            master_merchant_name: string | null;
            /** @description Id of the master merchant, unique per payment provider. A create uses the master merchant with this id, or creates it if there is none. */
            master_merchant_id: string;
            /**
             * @description Whether the branch is archived.
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it, or how many terminals it has, last changed (RFC 3339, UTC).
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             */
            archived_at: string | null;
            /**
             * Format: uuid
             * @description UUID of the master merchant: the business that owns the branch.
             */
            existing_master_merchant: string;
            /**
             * Format: uuid
             * @description UUID of the payment provider. A distributor must name one of its partners.
             */
            payment_provider: string;
            /**
             * Format: uuid
             * @description UUID of the distributor. A payment provider may name one of its partners.
             */
            distributor: string | null;
            /**
             * Format: int32
             * @description How many terminals the branch has.
             */
            terminal_count: number;
            /** @description Terminals of the branch, in the order of the request. Each `terminal_id` and `serial_no` must be unique within the request. */
            terminals: components["schemas"]["Terminal"][];
        };
        Terminal: {
            /**
             * Format: uuid
             * @description TID: the UUID that identifies the terminal in operations.
             */
            tid: string;
            /** @description Id of the terminal, unique across all terminals. */
            terminal_id: string;
            /** @description Serial number, unique if present. */
            serial_no: string | null;
            /** @description Model of the terminal. */
            terminal_model: string | null;
            /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
            payment_app: string | null;
            /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
            acquirer_name: string | null;
            /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
            mid: string;
            /**
             * @description Whether the terminal is archived, by itself or with its branch.
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it last changed, or was archived or restored with its branch (RFC 3339, UTC).
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             */
            archived_at: string | null;
            /** @description Why it was archived. */
            archive_reason: string | null;
        };
        DeletedTerminal: {
            /**
             * Format: uuid
             * @description TID: the UUID that identifies the terminal in operations.
             */
            tid: string;
            /** @description Id of the terminal, unique across all terminals. */
            terminal_id: string;
        };
        MasterMerchant: {
            /**
             * Format: uuid
             * @description UUID of the master merchant: the business that owns the branch.
             */
            existing_master_merchant: string;
            /** @description Id of the master merchant, unique per payment provider. A create uses the master merchant with this id, or creates it if there is none. */
            master_merchant_id: string;
            /** @description Display name of the master merchant. */
            master_merchant_name: string | null;
            /**
             * Format: uuid
             * @description UUID of the payment provider. A distributor must name one of its partners.
             */
            payment_provider: string;
            /** @description E-mail address of the master merchant. */
            email: string | null;
            /** @description Country code of the master merchant. */
            country_code: string | null;
            /** @description Phone number of the master merchant. */
            phone: string | null;
            /** @description Merchant category code of the master merchant. */
            mcc: string | null;
            /** @description Country of the master merchant. */
            country: string | null;
        };
        LookupItem: {
            /** @description The value to send in requests. */
            key: string;
            /** @description The text to show to people. */
            text: string;
        };
        MemberCheck: {
            /** @description Whether the card, its token and the terminal identify a member. */
            member_identified: boolean;
            /** @description Whether any rewards apply to this transaction. */
            rewards_available: boolean;
            /** @description Rewards that apply to this transaction. */
            rewards: {
                /** @description Id of the reward. */
                reward_id: string;
                /** @description Name of the reward. */
                name: string;
                /** @description Currency (ISO 4217). */
                currency: string;
                /**
                 * Format: double
                 * @description Smallest amount for which the reward applies.
                 */
                minimum_amount: number;
                /**
                 * Format: date-time
                 * @description When the reward starts to apply (RFC 3339, UTC).
                 */
                valid_from: string;
                /**
                 * Format: date-time
                 * @description When the reward stops applying (RFC 3339, UTC).
                 */
                expires_at: string;
            }[];
        };
        FieldWarning: {
            /** @description JSON Pointer (RFC 6901) to the field in the request body. */
            pointer: string;
            code: "unknown_field" | "incomplete" | (string & {});
            detail: string;
        };
        ParameterWarning: {
            /** @description Name of the query parameter. */
            parameter: string;
            code: "unknown_parameter" | "incomplete" | "too_many_matches" | (string & {});
            detail: string;
        };
        EventsMeta: {
            /** @description Cursor of the next page. */
            next: string;
            /** @description Whether these are all events so far. If `false`, request the next page at once. */
            up_to_date: boolean;
            /**
             * Format: date-time
             * @description Every event before this time is on this page or an earlier one (RFC 3339, UTC).
             */
            complete_to: string;
        };
        HistoryMeta: {
            /** @description Cursor of the next page; `null` at the end. */
            next: string | null;
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
            /** Format: int32 */
            current_page: number;
            /** Format: int32 */
            per_page: number;
            /** Format: int32 */
            total: number;
        };
        Event: {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "branch.created";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["CreatedBranch"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "branch.updated";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Branch"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "branch.archived";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Branch"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "branch.restored";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Branch"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminals.created";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"][];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.updated";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.archived";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.restored";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.reassigned";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.deleted";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["DeletedTerminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.left";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["DeletedTerminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event. Events sort by it. It is the same for every acquirer that sees the event.
             */
            id: string;
            /** @constant */
            type: "terminal.joined";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that the resource shows for the change.
             */
            at: string;
            /** @description The branch that the event is about, or whose terminals it is about, and its status at the time. A terminal with the same `archived_at` was archived with it. Archiving a branch also archives its terminals, and restoring it restores those. */
            branch: {
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid: string;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at: string | null;
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            /** @description The fields that changed, with their previous values. `null` except for updates, reassignments and restored branches. */
            changes: {
                /** @description Display name of the branch. */
                merchant_name?: string | null;
                /** @description Area of the branch. */
                area?: string | null;
                /** @description City of the branch. */
                city?: string | null;
                /**
                 * @description Whether the branch is archived.
                 * @enum {string}
                 */
                status?: "active" | "archived";
                /**
                 * Format: date-time
                 * @description When it was archived (RFC 3339, UTC).
                 */
                archived_at?: string | null;
                /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                mid?: string;
                /** @description Serial number, unique if present. */
                serial_no?: string | null;
                /** @description Model of the terminal. */
                terminal_model?: string | null;
                /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                payment_app?: string | null;
                /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                acquirer_name?: string | null;
            } | null;
            /** @description Who made the change: you or a partner, by its name at the time. The API key or the person is shown only to their own acquirer. A person has their current name, and `null` after they were removed. */
            by: {
                /** Format: uuid */
                acquirer: string;
                acquirer_name: string;
                key_id: string | null;
                key_label: string | null;
                person: {
                    /** Format: uuid */
                    id: string;
                    name: string | null;
                } | null;
            };
            /** @description The `X-Request-Id` of the request that made the change. */
            request_id: string;
        };
        Problem: {
            /**
             * Format: uri
             * @description URL of the documentation of this code.
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
            /** @description One code per cause: invalid_api_key, insufficient_permission, rate_limited, invalid_query, cursor_expired, invalid_idempotency_key, body_too_large, malformed_json, validation_failed, idempotency_key_reused, not_found, precondition_failed, not_under_requesting_psp, already_archived, not_archived, branch_archived, already_under_target_mid, too_many_terminals, server_error. Codes never change; later versions may add others. */
            code: "invalid_api_key" | "insufficient_permission" | "rate_limited" | "invalid_query" | "cursor_expired" | "invalid_idempotency_key" | "body_too_large" | "malformed_json" | "validation_failed" | "idempotency_key_reused" | "not_found" | "precondition_failed" | "not_under_requesting_psp" | "already_archived" | "not_archived" | "branch_archived" | "already_under_target_mid" | "too_many_terminals" | "server_error" | (string & {});
            /** @description Id of the request, as in `X-Request-Id`. */
            request_id: string;
            /** @description All field errors. */
            errors?: {
                /** @description JSON Pointer (RFC 6901) to the field in the request body. */
                pointer: string;
                /** @description Code of the field error. Codes never change; later versions may add others. */
                code: "required" | "invalid_type" | "invalid_format" | "too_short" | "too_long" | "too_small" | "too_large" | "duplicate" | "taken" | "differs" | "not_found" | "not_a_partner" | "not_yourself" | "card_number" | "api_key" | "idempotency_key_reused" | (string & {});
                /** @description What to change. */
                detail: string;
            }[];
        };
    };
    responses: {
        /** @description Too many requests; nothing was executed. If the body is a problem, you exceeded your rate limit: retry after `Retry-After`. If it only has a `message`, all callers together exceeded the limit of the gateway: retry with exponential backoff. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description A unique text of your choice for each request. If you retry the request with the same key within 24 hours, the response is replayed and nothing is executed again.
         * @example create-porto0001
         */
        "Idempotency-Key": string;
        /**
         * @description The ETag of the state that you want to change, from the header `ETag`. You can also make it from a list: `updated_at` in quotation marks or, if it is archived, `updated_at`, `/` and `archived_at`. If it changed since, the response is a 412 `precondition_failed` with the current `ETag`, and nothing is changed.
         * @example "2026-11-20T09:00:00.000Z"
         */
        "If-Match": string;
    };
    requestBodies: never;
    headers: {
        /** @description Id of the request. Quote it when you contact support. */
        "X-Request-Id": string;
        /** @description Your limit: the requests in each window of `w` seconds can weigh `q` in total (draft-ietf-httpapi-ratelimit-headers-10). Absent if you have no limit. */
        "RateLimit-Policy": string;
        /** @description A weight of about `r` is left in this window; the next window starts in `t` seconds. */
        RateLimit: string;
        /** @description Seconds to wait before a retry. Absent if a retry cannot succeed. */
        "Retry-After": number;
        /** @description The state of the branch or terminal, for `If-Match` (RFC 9110 §8.8.3): `updated_at` and, if it is archived, `/` and `archived_at`, in quotation marks. */
        ETag: string;
        /** @description URL of the created resource. */
        Location: string;
        /** @description The response is a replay, and nothing was executed. */
        "Idempotent-Replayed": "true";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBranches: {
        parameters: {
            query?: {
                /** @description Order by `created_at`: newest first (`desc`) or oldest first (`asc`). */
                sort?: "asc" | "desc";
                /** @description Items per page. */
                per_page?: number;
                /** @description Page number. */
                page?: number;
                /** @description Text to search for. The description of the operation says where. */
                search?: string;
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
                    "application/json": {
                        data: components["schemas"]["ListedBranch"][];
                        links: components["schemas"]["Links"];
                        meta: components["schemas"]["Meta"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Invalid query parameter; Server error; Body too large */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    createBranch: {
        parameters: {
            query?: {
                /** @description With `true`, the request is only checked: the response has the same problems, or a 200 with what it would return, and nothing is stored. */
                validate_only?: "true" | "false";
            };
            header?: {
                /**
                 * @description A unique text of your choice for each request. If you retry the request with the same key within 24 hours, the response is replayed and nothing is executed again.
                 * @example create-porto0001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
                    mid: string;
                    /** @description Display name of the branch: `merchant_name` in responses. */
                    branch_name?: string | null;
                    /** @description Area of the branch. */
                    area?: string | null;
                    /** @description City of the branch. */
                    city?: string | null;
                    /**
                     * Format: uuid
                     * @description UUID of the payment provider. A distributor must name one of its partners.
                     */
                    payment_provider?: string | null;
                    /**
                     * Format: uuid
                     * @description UUID of the distributor. A payment provider may name one of its partners.
                     */
                    distributor?: string | null;
                    /**
                     * Format: uuid
                     * @description UUID of the master merchant: the business that owns the branch.
                     */
                    existing_master_merchant?: string | null;
                    /** @description Id of the master merchant, unique per payment provider. A create uses the master merchant with this id, or creates it if there is none. */
                    master_merchant_id?: string | null;
                    /** @description Display name of the master merchant. */
                    master_merchant_name?: string | null;
                    /**
                     * Format: email
                     * @description E-mail address of the master merchant.
                     */
                    email?: string | null;
                    /** @description Country code of the master merchant. */
                    country_code?: string | null;
                    /** @description Phone number of the master merchant. */
                    phone?: string | null;
                    /** @description Merchant category code of the master merchant. */
                    mcc?: string | null;
                    /** @description Country of the master merchant. */
                    country?: string | null;
                    /** @description Terminals of the branch, in the order of the request. Each `terminal_id` and `serial_no` must be unique within the request. */
                    terminals?: {
                        /** @description Id of the terminal, unique across all terminals. */
                        terminal_id: string;
                        /** @description Serial number, unique if present. */
                        serial_no?: string | null;
                        /** @description Model of the terminal. */
                        terminal_model?: string | null;
                        /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                        payment_app?: string | null;
                        /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                        acquirer_name?: string | null;
                    }[] | null;
                } & ({
                    existing_master_merchant: string;
                } | {
                    master_merchant_id: string;
                });
            };
        };
        responses: {
            /** @description With `validate_only=true`: the request is valid, and this is what it would return. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedBranch"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description The branch was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedBranch"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Server error; Body too large; Malformed JSON; Invalid Idempotency-Key; Invalid query parameter */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
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
                /** @description MID of a branch that is accessible to you. */
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
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Branch"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Server error; Body too large */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    updateBranch: {
        parameters: {
            query?: {
                /** @description With `true`, the request is only checked: the response has the same problems, or a 200 with what it would return, and nothing is stored. */
                validate_only?: "true" | "false";
            };
            header?: {
                /**
                 * @description The ETag of the state that you want to change, from the header `ETag`. You can also make it from a list: `updated_at` in quotation marks or, if it is archived, `updated_at`, `/` and `archived_at`. If it changed since, the response is a 412 `precondition_failed` with the current `ETag`, and nothing is changed.
                 * @example "2026-11-20T09:00:00.000Z"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description MID of a branch that is accessible to you. */
                mid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Display name of the branch: `merchant_name` in responses. */
                    branch_name?: string | null;
                    /** @description Area of the branch. */
                    area?: string | null;
                    /** @description City of the branch. */
                    city?: string | null;
                };
            };
        };
        responses: {
            /** @description The updated branch. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Branch"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Server error; Body too large; Malformed JSON; Invalid query parameter */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition failed */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    getBranchHistory: {
        parameters: {
            query?: {
                /** @description Cursor before which to start: `meta.next` of an earlier response. By default, the newest event. */
                before?: string;
                /** @description Maximum number of events to return. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description MID of a branch that is accessible to you. */
                mid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        meta: components["schemas"]["HistoryMeta"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Invalid query parameter; Server error; Body too large */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    archiveBranch: {
        parameters: {
            query?: {
                /** @description With `true`, the request is only checked: the response has the same problems, or a 200 with what it would return, and nothing is stored. */
                validate_only?: "true" | "false";
            };
            header?: {
                /**
                 * @description The ETag of the state that you want to change, from the header `ETag`. You can also make it from a list: `updated_at` in quotation marks or, if it is archived, `updated_at`, `/` and `archived_at`. If it changed since, the response is a 412 `precondition_failed` with the current `ETag`, and nothing is changed.
                 * @example "2026-11-20T09:00:00.000Z"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description MID of a branch that is accessible to you. */
                mid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The archived branch. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Branch"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Already archived; Server error; Body too large; Invalid query parameter */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition failed */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    restoreBranch: {
        parameters: {
            query?: {
                /** @description With `true`, the request is only checked: the response has the same problems, or a 200 with what it would return, and nothing is stored. */
                validate_only?: "true" | "false";
            };
            header?: {
                /**
                 * @description The ETag of the state that you want to change, from the header `ETag`. You can also make it from a list: `updated_at` in quotation marks or, if it is archived, `updated_at`, `/` and `archived_at`. If it changed since, the response is a 412 `precondition_failed` with the current `ETag`, and nothing is changed.
                 * @example "2026-11-20T09:00:00.000Z"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description MID of a branch that is accessible to you. */
                mid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The restored branch. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Branch"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Not archived; Server error; Body too large; Invalid query parameter */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition failed */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    listTerminals: {
        parameters: {
            query?: {
                /** @description Order by `created_at`: newest first (`desc`) or oldest first (`asc`). */
                sort?: "asc" | "desc";
                /** @description Items per page. */
                per_page?: number;
                /** @description Page number. */
                page?: number;
            };
            header?: never;
            path: {
                /** @description MID of a branch that is accessible to you. */
                mid: string;
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
                    "application/json": {
                        data: components["schemas"]["Terminal"][];
                        links: components["schemas"]["Links"];
                        meta: components["schemas"]["Meta"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Invalid query parameter; Server error; Body too large */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    createTerminals: {
        parameters: {
            query?: {
                /** @description With `true`, the request is only checked: the response has the same problems, or a 200 with what it would return, and nothing is stored. */
                validate_only?: "true" | "false";
            };
            header?: {
                /**
                 * @description A unique text of your choice for each request. If you retry the request with the same key within 24 hours, the response is replayed and nothing is executed again.
                 * @example create-porto0001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description MID of a branch that is accessible to you. */
                mid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Terminals of the branch, in the order of the request. Each `terminal_id` and `serial_no` must be unique within the request. */
                    terminals: {
                        /** @description Id of the terminal, unique across all terminals. */
                        terminal_id: string;
                        /** @description Serial number, unique if present. */
                        serial_no?: string | null;
                        /** @description Model of the terminal. */
                        terminal_model?: string | null;
                        /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                        payment_app?: string | null;
                        /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                        acquirer_name?: string | null;
                    }[];
                };
            };
        };
        responses: {
            /** @description With `validate_only=true`: the request is valid, and this is what it would return. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Terminal"][];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
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
                    "application/json": {
                        data: components["schemas"]["Terminal"][];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Branch archived; Too many terminals; Server error; Body too large; Malformed JSON; Invalid Idempotency-Key; Invalid query parameter */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    deleteTerminal: {
        parameters: {
            query?: {
                /** @description With `true`, the request is only checked: the response has the same problems, or a 200 with what it would return, and nothing is stored. */
                validate_only?: "true" | "false";
            };
            header?: {
                /**
                 * @description The ETag of the state that you want to change, from the header `ETag`. You can also make it from a list: `updated_at` in quotation marks or, if it is archived, `updated_at`, `/` and `archived_at`. If it changed since, the response is a 412 `precondition_failed` with the current `ETag`, and nothing is changed.
                 * @example "2026-11-20T09:00:00.000Z"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description TID: the UUID of a terminal. */
                tid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The deleted terminal. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeletedTerminal"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Server error; Body too large; Invalid query parameter */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition failed */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    updateTerminal: {
        parameters: {
            query?: {
                /** @description With `true`, the request is only checked: the response has the same problems, or a 200 with what it would return, and nothing is stored. */
                validate_only?: "true" | "false";
            };
            header?: {
                /**
                 * @description The ETag of the state that you want to change, from the header `ETag`. You can also make it from a list: `updated_at` in quotation marks or, if it is archived, `updated_at`, `/` and `archived_at`. If it changed since, the response is a 412 `precondition_failed` with the current `ETag`, and nothing is changed.
                 * @example "2026-11-20T09:00:00.000Z"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description TID: the UUID of a terminal. */
                tid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Serial number, unique if present. */
                    serial_no?: string | null;
                    /** @description Model of the terminal. */
                    terminal_model?: string | null;
                    /** @description Name of a payment app. In a request, one of yours: see lookup `paymentApp`. */
                    payment_app?: string | null;
                    /** @description Name of a master acquirer. In a request, one of yours: see lookup `acquirers`. */
                    acquirer_name?: string | null;
                };
            };
        };
        responses: {
            /** @description The updated terminal. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Not under the requesting PSP; Server error; Body too large; Malformed JSON; Invalid query parameter */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition failed */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    archiveTerminal: {
        parameters: {
            query?: {
                /** @description With `true`, the request is only checked: the response has the same problems, or a 200 with what it would return, and nothing is stored. */
                validate_only?: "true" | "false";
            };
            header?: {
                /**
                 * @description The ETag of the state that you want to change, from the header `ETag`. You can also make it from a list: `updated_at` in quotation marks or, if it is archived, `updated_at`, `/` and `archived_at`. If it changed since, the response is a 412 `precondition_failed` with the current `ETag`, and nothing is changed.
                 * @example "2026-11-20T09:00:00.000Z"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description TID: the UUID of a terminal. */
                tid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Why the terminal is archived. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The archived terminal. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Already archived; Not under the requesting PSP; Server error; Body too large; Malformed JSON; Invalid query parameter */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition failed */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    restoreTerminal: {
        parameters: {
            query?: {
                /** @description With `true`, the request is only checked: the response has the same problems, or a 200 with what it would return, and nothing is stored. */
                validate_only?: "true" | "false";
            };
            header?: {
                /**
                 * @description The ETag of the state that you want to change, from the header `ETag`. You can also make it from a list: `updated_at` in quotation marks or, if it is archived, `updated_at`, `/` and `archived_at`. If it changed since, the response is a 412 `precondition_failed` with the current `ETag`, and nothing is changed.
                 * @example "2026-11-20T09:00:00.000Z"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description TID: the UUID of a terminal. */
                tid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The restored terminal. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Not archived; Server error; Body too large; Invalid query parameter */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition failed */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    reassignTerminal: {
        parameters: {
            query?: {
                /** @description With `true`, the request is only checked: the response has the same problems, or a 200 with what it would return, and nothing is stored. */
                validate_only?: "true" | "false";
            };
            header?: {
                /**
                 * @description A unique text of your choice for each request. If you retry the request with the same key within 24 hours, the response is replayed and nothing is executed again.
                 * @example create-porto0001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The ETag of the state that you want to change, from the header `ETag`. You can also make it from a list: `updated_at` in quotation marks or, if it is archived, `updated_at`, `/` and `archived_at`. If it changed since, the response is a 412 `precondition_failed` with the current `ETag`, and nothing is changed.
                 * @example "2026-11-20T09:00:00.000Z"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /** @description TID: the UUID of a terminal. */
                tid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description MID of the branch: a UUID, or alphanumeric. MIDs are case-sensitive, except UUIDs. */
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
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Already under the target MID; Not under the requesting PSP; Branch archived; Too many terminals; Server error; Body too large; Malformed JSON; Invalid Idempotency-Key; Invalid query parameter */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Precondition failed */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    getTerminalHistory: {
        parameters: {
            query?: {
                /** @description Cursor before which to start: `meta.next` of an earlier response. By default, the newest event. */
                before?: string;
                /** @description Maximum number of events to return. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description TID: the UUID of a terminal. */
                tid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        meta: components["schemas"]["HistoryMeta"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Invalid query parameter; Server error; Body too large */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    lookup: {
        parameters: {
            query?: {
                /** @description Text to search for. The description of the operation says where. */
                search?: string;
                /** @description UUID of the payment provider that the master merchants belong to. */
                payment_provider?: string;
            };
            header?: never;
            path: {
                /** @description Which list. */
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
                    "application/json": {
                        data: components["schemas"]["LookupItem"][];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Invalid query parameter; Server error; Body too large */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    find: {
        parameters: {
            query?: {
                /** @description TID of a terminal. */
                tid?: string;
                /** @description `terminal_id` of a terminal. */
                terminal_id?: string;
                /** @description Serial number of a terminal. */
                serial_no?: string;
                /** @description MID of a branch. */
                mid?: string;
                /** @description `master_merchant_id` of a master merchant. */
                master_merchant_id?: string;
                /** @description UUID of the payment provider that the master merchants belong to. */
                payment_provider?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The resource. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                        /** @constant */
                        type: "terminal";
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    } | {
                        data: components["schemas"]["Branch"];
                        /** @constant */
                        type: "branch";
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    } | {
                        data: components["schemas"]["MasterMerchant"];
                        /** @constant */
                        type: "master_merchant";
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Invalid query parameter; Server error; Body too large */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Cursor after which to start: `meta.next` of an earlier response, or `now`. By default, the oldest retained event. */
                after?: string;
                /** @description Maximum number of events to return. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        meta: components["schemas"]["EventsMeta"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Invalid query parameter; Cursor expired; Server error; Body too large */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                "application/json": {
                    /**
                     * Format: double
                     * @description Amount of the transaction, in major units of its currency.
                     */
                    amount: number;
                    /** @description Identifier of the card. */
                    card_id: string;
                    /** @description Pseudo token of the card. */
                    card_pseudo_token: string;
                    /** @description Currency (ISO 4217). */
                    currency: string;
                    /** @description Id of the terminal, unique across all terminals. */
                    terminal_id: string;
                    /** @description Your UUID, or the UUID of the payment provider of the terminal’s branch. */
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
                    "application/json": {
                        data: components["schemas"]["MemberCheck"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Server error; Body too large; Malformed JSON */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid API key */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
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
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
        };
    };
}
