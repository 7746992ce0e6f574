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
         * @description Creates a branch and, with it, its terminals and the business that owns it: all or nothing. Give `existing_master_merchant` or `master_merchant_id`, or both if they name the same business. What else you send of a business that exists must agree with what is stored. A distributor names a `payment_provider` that is its partner; a payment provider may name a partner as `distributor`. All field errors are reported at once, unless you name somebody who is not your partner.
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
    "/ext/api/v1/merchants/{mid}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the history of a branch
         * @description The events of a branch and its terminals, the newest first: who did what, and when. `meta.next` is the cursor `before` which the page after this one begins; it is `null` at the end. A change can take some milliseconds to show.
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
         * @description Creates 1 to 40 terminals: all or none. `terminal_id` is unique across all terminals, `serial_no` too where it is given. All field errors are reported at once.
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
         * @description Changes the fields that are sent, and no others. `null` or a blank text clears one.
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
    "/ext/api/v1/terminals/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the history of a terminal
         * @description The events of a terminal from the time when it was accessible to you, the newest first. `meta.next` is the cursor `before` which the page after this one begins; it is `null` at the end. That of a deleted terminal stays readable for those who had access to it last. A change can take some milliseconds to show.
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
    "/ext/api/v1/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find a terminal, branch or master merchant
         * @description Returns the one thing that has this identifier. Give exactly one of `tid`, `terminal_id`, `serial_no`, `mid` and `master_merchant_id`; `type` says what `data` is. A `master_merchant_id` is unique for a payment provider only, so a distributor adds `payment_provider`. White space around a value is ignored. What has just been created or changed is found at once. Whatever does not exist or is not accessible to you is 404.
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
         * @description Every change of the branches and terminals that are accessible to you, the oldest first: complete, in order, and the same whenever you read it again. Start `after` a cursor, or with the oldest event that is kept, and go on from `meta.next`. `after=now` returns no events but a cursor: get one before you read the lists for the first time. An event shows about 25 seconds after its change, when none before it can still come.
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
            /** @description MID of the branch: a UUID, or alphanumeric. Upper and lower case differ, but for a UUID. */
            mid: string;
            /** @description Display name of the branch. */
            merchant_name: string | null;
            /** @description Area of the branch. */
            area: string | null;
            /** @description City of the branch. */
            city: string | null;
            /** @description Display name of the business. */
            master_merchant_name: string | null;
            /** @description Id of the business that owns the branch, unique for its payment provider. A create joins the business that has it or, if there is none, creates one. */
            master_merchant_id: string;
            /**
             * @description A terminal is also `archived` when its branch is.
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             */
            created_at: string;
        };
        Branch: {
            /** @description MID of the branch: a UUID, or alphanumeric. Upper and lower case differ, but for a UUID. */
            mid: string;
            /** @description Display name of the branch. */
            merchant_name: string | null;
            /** @description Area of the branch. */
            area: string | null;
            /** @description City of the branch. */
            city: string | null;
            /** @description Display name of the business. */
            master_merchant_name: string | null;
            /** @description Id of the business that owns the branch, unique for its payment provider. A create joins the business that has it or, if there is none, creates one. */
            master_merchant_id: string;
            /**
             * @description A terminal is also `archived` when its branch is.
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: uuid
             * @description UUID of the business that owns the branch.
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
             * Format: int64
             * @description How many terminals the branch has.
             */
            terminal_count: number;
            /**
             * Format: date-time
             * @description When it last changed; for a terminal, also by the archiving of its branch (RFC 3339, UTC).
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             */
            archived_at: string | null;
        };
        CreatedBranch: {
            /** @description MID of the branch: a UUID, or alphanumeric. Upper and lower case differ, but for a UUID. */
            mid: string;
            /** @description Display name of the branch. */
            merchant_name: string | null;
            /** @description Area of the branch. */
            area: string | null;
            /** @description City of the branch. */
            city: string | null;
            /** @description Display name of the business. */
            master_merchant_name: string | null;
            /** @description Id of the business that owns the branch, unique for its payment provider. A create joins the business that has it or, if there is none, creates one. */
            master_merchant_id: string;
            /**
             * @description A terminal is also `archived` when its branch is.
             * @enum {string}
             */
            status: "active" | "archived";
            /**
             * Format: date-time
             * @description When it was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: uuid
             * @description UUID of the business that owns the branch.
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
             * Format: int64
             * @description How many terminals the branch has.
             */
            terminal_count: number;
            /**
             * Format: date-time
             * @description When it last changed; for a terminal, also by the archiving of its branch (RFC 3339, UTC).
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was archived (RFC 3339, UTC).
             */
            archived_at: string | null;
            /** @description Terminals of the branch, in this order. Within a request, each `terminal_id` and each `serial_no` must differ. */
            terminals: components["schemas"]["Terminal"][];
        };
        Terminal: {
            /**
             * Format: uuid
             * @description TID: the UUID by which operations name the terminal.
             */
            tid: string;
            /** @description Id of the terminal, unique across all terminals. */
            terminal_id: string;
            /** @description Serial number, unique where there is one. */
            serial_no: string | null;
            /** @description Model of the terminal. */
            terminal_model: string | null;
            /** @description Name of one of your payment apps: see the lookup `paymentApp`. */
            payment_app: string | null;
            /** @description Name of one of your master acquirers: see the lookup `acquirers`. */
            acquirer_name: string | null;
            /** @description MID of the branch: a UUID, or alphanumeric. Upper and lower case differ, but for a UUID. */
            mid: string;
            /**
             * @description A terminal is also `archived` when its branch is.
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
             * @description When it last changed; for a terminal, also by the archiving of its branch (RFC 3339, UTC).
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
             * @description TID: the UUID by which operations name the terminal.
             */
            tid: string;
            /** @description Id of the terminal, unique across all terminals. */
            terminal_id: string;
        };
        MasterMerchant: {
            /**
             * Format: uuid
             * @description UUID of the business that owns the branch.
             */
            existing_master_merchant: string;
            /** @description Id of the business that owns the branch, unique for its payment provider. A create joins the business that has it or, if there is none, creates one. */
            master_merchant_id: string;
            /** @description Display name of the business. */
            master_merchant_name: string | null;
            /**
             * Format: uuid
             * @description UUID of the payment provider. A distributor must name one of its partners.
             */
            payment_provider: string;
            /** @description E-mail address of the business. */
            email: string | null;
            /** @description Country code of the business. */
            country_code: string | null;
            /** @description Telephone number of the business. */
            phone: string | null;
            /** @description Merchant category code of the business. */
            mcc: string | null;
            /** @description Country of the business. */
            country: string | null;
        };
        LookupItem: {
            /** @description What requests name it by. */
            key: string;
            /** @description What people read. */
            text: string;
        };
        MemberCheck: {
            /** @description Whether card, token and terminal identify a member. */
            member_identified: boolean;
            /** @description Whether there are rewards for this transaction. */
            rewards_available: boolean;
            /** @description Rewards that this transaction reaches. */
            rewards: {
                /** @description Id of the reward. */
                reward_id: string;
                /** @description Name of the reward. */
                name: string;
                /** @description Currency (ISO 4217). */
                currency: string;
                /**
                 * Format: double
                 * @description Amount from which the reward counts.
                 */
                minimum_amount: number;
                /**
                 * Format: date-time
                 * @description From when the reward counts (RFC 3339, UTC).
                 */
                valid_from: string;
                /**
                 * Format: date-time
                 * @description Until when the reward counts (RFC 3339, UTC).
                 */
                expires_at: string;
            }[];
        };
        FieldWarning: {
            /** @description JSON Pointer (RFC 6901) to the field in the request body. */
            pointer: string;
            code: "unknown_field" | (string & {});
            detail: string;
        };
        ParameterWarning: {
            /** @description Name of the query parameter. */
            parameter: string;
            code: "unknown_parameter" | (string & {});
            detail: string;
        };
        Event: {
            /**
             * Format: uuid
             * @description UUID of the event, by which events are in order. Whoever sees it sees the same id.
             */
            id: string;
            /** @constant */
            type: "branch.created";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that it gave to what it changed.
             */
            at: string;
            /** @description The branch that it is about, or that its terminals are under, and the status of the branch then. When an active branch is archived, its active terminals are archived with it. */
            branch: {
                mid: string;
                /** @enum {string} */
                status: "active" | "archived";
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["CreatedBranch"];
            changes: {
                mid?: string | null;
                serial_no?: string | null;
                terminal_model?: string | null;
                payment_app?: string | null;
                acquirer_name?: string | null;
            } | null;
            by: {
                /** Format: uuid */
                acquirer: string;
                key_id: string | null;
                key_label: string | null;
            };
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event, by which events are in order. Whoever sees it sees the same id.
             */
            id: string;
            /** @constant */
            type: "branch.archived";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that it gave to what it changed.
             */
            at: string;
            /** @description The branch that it is about, or that its terminals are under, and the status of the branch then. When an active branch is archived, its active terminals are archived with it. */
            branch: {
                mid: string;
                /** @enum {string} */
                status: "active" | "archived";
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Branch"];
            changes: {
                mid?: string | null;
                serial_no?: string | null;
                terminal_model?: string | null;
                payment_app?: string | null;
                acquirer_name?: string | null;
            } | null;
            by: {
                /** Format: uuid */
                acquirer: string;
                key_id: string | null;
                key_label: string | null;
            };
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event, by which events are in order. Whoever sees it sees the same id.
             */
            id: string;
            /** @constant */
            type: "terminals.created";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that it gave to what it changed.
             */
            at: string;
            /** @description The branch that it is about, or that its terminals are under, and the status of the branch then. When an active branch is archived, its active terminals are archived with it. */
            branch: {
                mid: string;
                /** @enum {string} */
                status: "active" | "archived";
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"][];
            changes: {
                mid?: string | null;
                serial_no?: string | null;
                terminal_model?: string | null;
                payment_app?: string | null;
                acquirer_name?: string | null;
            } | null;
            by: {
                /** Format: uuid */
                acquirer: string;
                key_id: string | null;
                key_label: string | null;
            };
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event, by which events are in order. Whoever sees it sees the same id.
             */
            id: string;
            /** @constant */
            type: "terminal.updated";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that it gave to what it changed.
             */
            at: string;
            /** @description The branch that it is about, or that its terminals are under, and the status of the branch then. When an active branch is archived, its active terminals are archived with it. */
            branch: {
                mid: string;
                /** @enum {string} */
                status: "active" | "archived";
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            changes: {
                mid?: string | null;
                serial_no?: string | null;
                terminal_model?: string | null;
                payment_app?: string | null;
                acquirer_name?: string | null;
            } | null;
            by: {
                /** Format: uuid */
                acquirer: string;
                key_id: string | null;
                key_label: string | null;
            };
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event, by which events are in order. Whoever sees it sees the same id.
             */
            id: string;
            /** @constant */
            type: "terminal.archived";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that it gave to what it changed.
             */
            at: string;
            /** @description The branch that it is about, or that its terminals are under, and the status of the branch then. When an active branch is archived, its active terminals are archived with it. */
            branch: {
                mid: string;
                /** @enum {string} */
                status: "active" | "archived";
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            changes: {
                mid?: string | null;
                serial_no?: string | null;
                terminal_model?: string | null;
                payment_app?: string | null;
                acquirer_name?: string | null;
            } | null;
            by: {
                /** Format: uuid */
                acquirer: string;
                key_id: string | null;
                key_label: string | null;
            };
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event, by which events are in order. Whoever sees it sees the same id.
             */
            id: string;
            /** @constant */
            type: "terminal.restored";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that it gave to what it changed.
             */
            at: string;
            /** @description The branch that it is about, or that its terminals are under, and the status of the branch then. When an active branch is archived, its active terminals are archived with it. */
            branch: {
                mid: string;
                /** @enum {string} */
                status: "active" | "archived";
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            changes: {
                mid?: string | null;
                serial_no?: string | null;
                terminal_model?: string | null;
                payment_app?: string | null;
                acquirer_name?: string | null;
            } | null;
            by: {
                /** Format: uuid */
                acquirer: string;
                key_id: string | null;
                key_label: string | null;
            };
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event, by which events are in order. Whoever sees it sees the same id.
             */
            id: string;
            /** @constant */
            type: "terminal.reassigned";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that it gave to what it changed.
             */
            at: string;
            /** @description The branch that it is about, or that its terminals are under, and the status of the branch then. When an active branch is archived, its active terminals are archived with it. */
            branch: {
                mid: string;
                /** @enum {string} */
                status: "active" | "archived";
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            changes: {
                mid?: string | null;
                serial_no?: string | null;
                terminal_model?: string | null;
                payment_app?: string | null;
                acquirer_name?: string | null;
            } | null;
            by: {
                /** Format: uuid */
                acquirer: string;
                key_id: string | null;
                key_label: string | null;
            };
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event, by which events are in order. Whoever sees it sees the same id.
             */
            id: string;
            /** @constant */
            type: "terminal.deleted";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that it gave to what it changed.
             */
            at: string;
            /** @description The branch that it is about, or that its terminals are under, and the status of the branch then. When an active branch is archived, its active terminals are archived with it. */
            branch: {
                mid: string;
                /** @enum {string} */
                status: "active" | "archived";
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["DeletedTerminal"];
            changes: {
                mid?: string | null;
                serial_no?: string | null;
                terminal_model?: string | null;
                payment_app?: string | null;
                acquirer_name?: string | null;
            } | null;
            by: {
                /** Format: uuid */
                acquirer: string;
                key_id: string | null;
                key_label: string | null;
            };
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event, by which events are in order. Whoever sees it sees the same id.
             */
            id: string;
            /** @constant */
            type: "terminal.left";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that it gave to what it changed.
             */
            at: string;
            /** @description The branch that it is about, or that its terminals are under, and the status of the branch then. When an active branch is archived, its active terminals are archived with it. */
            branch: {
                mid: string;
                /** @enum {string} */
                status: "active" | "archived";
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["DeletedTerminal"];
            changes: {
                mid?: string | null;
                serial_no?: string | null;
                terminal_model?: string | null;
                payment_app?: string | null;
                acquirer_name?: string | null;
            } | null;
            by: {
                /** Format: uuid */
                acquirer: string;
                key_id: string | null;
                key_label: string | null;
            };
            request_id: string;
        } | {
            /**
             * Format: uuid
             * @description UUID of the event, by which events are in order. Whoever sees it sees the same id.
             */
            id: string;
            /** @constant */
            type: "terminal.joined";
            /**
             * Format: date-time
             * @description When it happened (RFC 3339, UTC): the time that it gave to what it changed.
             */
            at: string;
            /** @description The branch that it is about, or that its terminals are under, and the status of the branch then. When an active branch is archived, its active terminals are archived with it. */
            branch: {
                mid: string;
                /** @enum {string} */
                status: "active" | "archived";
            };
            /** @description What the operation returned: the resource after the change. */
            data: components["schemas"]["Terminal"];
            changes: {
                mid?: string | null;
                serial_no?: string | null;
                terminal_model?: string | null;
                payment_app?: string | null;
                acquirer_name?: string | null;
            } | null;
            by: {
                /** Format: uuid */
                acquirer: string;
                key_id: string | null;
                key_label: string | null;
            };
            request_id: string;
        };
        EventsMeta: {
            /** @description Cursor to go on from. */
            next: string;
            /** @description Whether there is nothing more to read by now. If `false`, read on at once. */
            up_to_date: boolean;
            /**
             * Format: date-time
             * @description Every event before this time is on this page or on one before it (RFC 3339, UTC).
             */
            complete_to: string;
        };
        HistoryMeta: {
            /** @description Cursor to go on from. */
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
            /** @description One per cause: invalid_api_key, rate_limited, invalid_query, cursor_expired, invalid_idempotency_key, malformed_json, validation_failed, idempotency_key_reused, not_found, not_under_requesting_psp, already_archived, not_archived, branch_archived, already_under_target_mid, server_error. It never changes; later versions may add others. */
            code: "invalid_api_key" | "rate_limited" | "invalid_query" | "cursor_expired" | "invalid_idempotency_key" | "malformed_json" | "validation_failed" | "idempotency_key_reused" | "not_found" | "not_under_requesting_psp" | "already_archived" | "not_archived" | "branch_archived" | "already_under_target_mid" | "server_error" | (string & {});
            /** @description Id of the request, as in `X-Request-Id`. */
            request_id: string;
            /** @description All that is wrong, at once. */
            errors?: {
                /** @description JSON Pointer (RFC 6901) to the field in the request body. */
                pointer: string;
                /** @description Kind of the field error. It never changes; later versions may add others. */
                code: "required" | "invalid_type" | "invalid_format" | "too_short" | "too_long" | "too_small" | "too_large" | "duplicate" | "taken" | "differs" | "not_found" | "not_a_partner" | "not_yourself" | "card_number" | "api_key" | "idempotency_key_reused" | (string & {});
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
                "application/problem+json": components["schemas"]["Problem"];
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
                    "application/json": {
                        data: components["schemas"]["ListedBranch"][];
                        links: components["schemas"]["Links"];
                        meta: components["schemas"]["Meta"];
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
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
                "application/json": {
                    /** @description MID of the branch: a UUID, or alphanumeric. Upper and lower case differ, but for a UUID. */
                    mid: string;
                    /** @description Display name of the branch. Responses call it `merchant_name`. */
                    branch_name?: string | null;
                    /** @description Area of the branch. */
                    area?: string | null;
                    /** @description City of the branch. */
                    city?: string | null;
                    /**
                     * Format: uuid
                     * @description UUID of the business that owns the branch.
                     */
                    existing_master_merchant?: string | null;
                    /** @description Id of the business that owns the branch, unique for its payment provider. A create joins the business that has it or, if there is none, creates one. */
                    master_merchant_id?: string | null;
                    /** @description Display name of the business. */
                    master_merchant_name?: string | null;
                    /**
                     * Format: email
                     * @description E-mail address of the business.
                     */
                    email?: string | null;
                    /** @description Country code of the business. */
                    country_code?: string | null;
                    /** @description Telephone number of the business. */
                    phone?: string | null;
                    /** @description Merchant category code of the business. */
                    mcc?: string | null;
                    /** @description Country of the business. */
                    country?: string | null;
                    /** @description Terminals of the branch, in this order. Within a request, each `terminal_id` and each `serial_no` must differ. */
                    terminals?: {
                        /** @description Id of the terminal, unique across all terminals. */
                        terminal_id: string;
                        /** @description Serial number, unique where there is one. */
                        serial_no?: string | null;
                        /** @description Model of the terminal. */
                        terminal_model?: string | null;
                        /** @description Name of one of your payment apps: see the lookup `paymentApp`. */
                        payment_app?: string | null;
                        /** @description Name of one of your master acquirers: see the lookup `acquirers`. */
                        acquirer_name?: string | null;
                    }[] | null;
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
                } & ({
                    existing_master_merchant: string;
                } | {
                    master_merchant_id: string;
                });
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
                    "application/json": {
                        data: components["schemas"]["CreatedBranch"];
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Server error; Malformed JSON; Invalid Idempotency-Key */
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Branch"];
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
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
    getBranchHistory: {
        parameters: {
            query?: {
                /** @description Cursor before which to start: `meta.next` of an earlier response. Without it, the newest event. */
                before?: string;
                /** @description The most events to return. */
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
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
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
            /** @description The branch, archived. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Branch"];
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
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
                /** @description MID of a branch that is accessible to you. */
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
                    "application/json": {
                        data: components["schemas"]["Terminal"][];
                        links: components["schemas"]["Links"];
                        meta: components["schemas"]["Meta"];
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
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
            query?: never;
            header?: {
                /**
                 * @description Any text of your own, a new one for each request. The same request with the same key within 24 hours is answered as the first time, and not executed again.
                 * @example create-porto0001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /** @description MID of a branch that is accessible to you. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Terminals of the branch, in this order. Within a request, each `terminal_id` and each `serial_no` must differ. */
                    terminals: {
                        /** @description Id of the terminal, unique across all terminals. */
                        terminal_id: string;
                        /** @description Serial number, unique where there is one. */
                        serial_no?: string | null;
                        /** @description Model of the terminal. */
                        terminal_model?: string | null;
                        /** @description Name of one of your payment apps: see the lookup `paymentApp`. */
                        payment_app?: string | null;
                        /** @description Name of one of your master acquirers: see the lookup `acquirers`. */
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
                    "application/json": {
                        data: components["schemas"]["Terminal"][];
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Branch archived; Server error; Malformed JSON; Invalid Idempotency-Key */
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
            query?: never;
            header?: never;
            path: {
                /** @description TID: the UUID of a terminal. */
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
                    "application/json": {
                        data: components["schemas"]["DeletedTerminal"];
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
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
    updateTerminal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description TID: the UUID of a terminal. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Serial number, unique where there is one. */
                    serial_no?: string | null;
                    /** @description Model of the terminal. */
                    terminal_model?: string | null;
                    /** @description Name of one of your payment apps: see the lookup `paymentApp`. */
                    payment_app?: string | null;
                    /** @description Name of one of your master acquirers: see the lookup `acquirers`. */
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
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Not under the requesting PSP; Server error; Malformed JSON */
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
            query?: never;
            header?: never;
            path: {
                /** @description TID: the UUID of a terminal. */
                id: string;
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
            /** @description The terminal, archived. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Already archived; Not under the requesting PSP; Server error; Malformed JSON */
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
            query?: never;
            header?: never;
            path: {
                /** @description TID: the UUID of a terminal. */
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
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
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
                /** @description TID: the UUID of a terminal. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description MID of the branch: a UUID, or alphanumeric. Upper and lower case differ, but for a UUID. */
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
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Already under the target MID; Not under the requesting PSP; Branch archived; Server error; Malformed JSON; Invalid Idempotency-Key */
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
    getTerminalHistory: {
        parameters: {
            query?: {
                /** @description Cursor before which to start: `meta.next` of an earlier response. Without it, the newest event. */
                before?: string;
                /** @description The most events to return. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description TID: the UUID of a terminal. */
                id: string;
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
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
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
                /** @description Part of the text, or of a `master_merchant_id`, in any case. */
                search?: string;
                /** @description UUID of the payment provider whose master merchants are meant. */
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
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
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
                /** @description Your id of a terminal. */
                terminal_id?: string;
                /** @description Serial number of a terminal. */
                serial_no?: string;
                /** @description MID of a branch. */
                mid?: string;
                /** @description Id of a master merchant. */
                master_merchant_id?: string;
                /** @description UUID of the payment provider whose master merchants are meant. */
                payment_provider?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Terminal"];
                        /** @constant */
                        type: "terminal";
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    } | {
                        data: components["schemas"]["Branch"];
                        /** @constant */
                        type: "branch";
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    } | {
                        data: components["schemas"]["MasterMerchant"];
                        /** @constant */
                        type: "master_merchant";
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
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
                /** @description Cursor after which to start: `meta.next` of an earlier response, or `now`. Without it, the oldest event kept. */
                after?: string;
                /** @description The most events to return. */
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
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Invalid query parameter; Cursor expired; Server error */
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
                    /** @description Amount of the transaction, in major units of its currency. */
                    amount: number;
                    /** @description Identifier of the card. */
                    card_id: string;
                    /** @description Pseudo token of the card. */
                    card_pseudo_token: string;
                    /** @description Currency (ISO 4217). */
                    currency: string;
                    /** @description Id of the terminal, unique across all terminals. */
                    terminal_id: string;
                    /** @description Your UUID, or that of the payment provider of the terminal’s branch. */
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
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Server error; Malformed JSON */
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
