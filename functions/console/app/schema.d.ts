/** Types of the API, generated from docs/console.openapi.json by openapi-typescript. Do not edit. */

export interface paths {
    "/console/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the session
         * @description Returns who is signed in, and the acquirers as which they may act. Roles of people: `viewer`, `operator`, `admin`.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        /**
         * Sign out
         * @description Ends the session, or with `everywhere=true` all sessions of the person. Other processes may accept them for 30 seconds. Roles of people: `viewer`, `operator`, `admin`.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Returns the API keys of the acquirer that have not ended, the oldest first, without the keys themselves. Roles of people: `admin`.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Creates an API key. It is shown only in this response, and works at once. An acquirer has at most 20 keys, with those that a rotation has not ended yet. Roles of people: `admin`.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate an API key
         * @description Creates a successor with the same label and role. The earlier key works for `overlap_hours` more, so that you can switch without an outage; with 0 it ends at once. Roles of people: `admin`.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/keys/{id}": {
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
         * Revoke an API key
         * @description Ends an API key within 30 seconds. Roles of people: `admin`.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List people
         * @description Returns the people of the acquirer and its open invitations, the oldest first. Roles of people: `admin`.
         */
        get: operations["listPeople"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a person
         * @description Makes an invitation for 7 days. No mail is sent: hand over the link. Only a person whose issuer states that this address is theirs and verified can accept it. An earlier invitation of the address is revoked. Roles of people: `admin`.
         */
        post: operations["invitePerson"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/invitations/{id}": {
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
         * Revoke an invitation
         * @description Ends an open invitation. Roles of people: `admin`.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/api/people/{id}": {
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
         * Remove a person
         * @description Removes a person from the people of the acquirer, within 30 seconds. Events no longer show their name. An acquirer keeps at least one admin. Roles of people: `admin`.
         */
        delete: operations["removePerson"];
        options?: never;
        head?: never;
        /**
         * Change the role of a person
         * @description Changes what a person may do, within 30 seconds. An acquirer keeps at least one admin. Roles of people: `admin`.
         */
        patch: operations["changePerson"];
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ApiKey: {
            /** @description Id of the key. */
            key_id: string;
            /** @description Your name for the key. It is in events and logs. */
            label: string;
            /**
             * @description What the key may do.
             * @enum {string}
             */
            role: "till" | "viewer" | "operator" | "full";
            /**
             * Format: date-time
             * @description When the key was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key was last used, at most two hours late; `null` if no use is recorded.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When the key ends, after a rotation; otherwise `null`.
             */
            expires_at: string | null;
        };
        CreatedApiKey: {
            /** @description Id of the key. */
            key_id: string;
            /** @description Your name for the key. It is in events and logs. */
            label: string;
            /**
             * @description What the key may do.
             * @enum {string}
             */
            role: "till" | "viewer" | "operator" | "full";
            /**
             * Format: date-time
             * @description When the key was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key ends, after a rotation; otherwise `null`.
             */
            expires_at: string | null;
            /** @description The key itself. It is never shown again. */
            api_key: string;
        };
        RotatedApiKey: {
            /** @description Id of the key. */
            key_id: string;
            /** @description Your name for the key. It is in events and logs. */
            label: string;
            /**
             * @description What the key may do.
             * @enum {string}
             */
            role: "till" | "viewer" | "operator" | "full";
            /**
             * Format: date-time
             * @description When the key was created (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key ends, after a rotation; otherwise `null`.
             */
            expires_at: string | null;
            /** @description The key itself. It is never shown again. */
            api_key: string;
            /** @description The earlier key, and when it ends; `null` if it has ended. */
            rotated: {
                key_id: string;
                /** Format: date-time */
                expires_at: string | null;
            };
        };
        Person: {
            /**
             * Format: uuid
             * @description UUID of the person. It stays when name and address change.
             */
            id: string;
            /** @description Name, as of the last sign-in. */
            name: string;
            /** @description Address, as of the last sign-in; `null` if the issuer states none. */
            email: string | null;
            /**
             * @description What the person may do.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin";
            /**
             * Format: date-time
             * @description When the person accepted the invitation (RFC 3339, UTC).
             */
            joined_at: string;
            /**
             * Format: date-time
             * @description When the person last signed in (RFC 3339, UTC).
             */
            signed_in_at: string;
        };
        Invitation: {
            /**
             * Format: uuid
             * @description UUID of the invitation.
             */
            id: string;
            /** @description The address that the invited person must have, in lower case. */
            email: string;
            /**
             * @description What the person may do.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin";
            /**
             * Format: date-time
             * @description When the person was invited (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the invitation ends (RFC 3339, UTC).
             */
            expires_at: string;
        };
        CreatedInvitation: {
            /**
             * Format: uuid
             * @description UUID of the invitation.
             */
            id: string;
            /** @description The address that the invited person must have, in lower case. */
            email: string;
            /**
             * @description What the person may do.
             * @enum {string}
             */
            role: "viewer" | "operator" | "admin";
            /**
             * Format: date-time
             * @description When the person was invited (RFC 3339, UTC).
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the invitation ends (RFC 3339, UTC).
             */
            expires_at: string;
            /**
             * Format: uri
             * @description The link to hand over. It opens nothing without a verified address.
             */
            link: string;
        };
        People: {
            people: components["schemas"]["Person"][];
            invitations: components["schemas"]["Invitation"][];
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
            /** @description One code per cause: insufficient_permission, rate_limited, invalid_query, body_too_large, malformed_json, validation_failed, not_found, server_error, invalid_session, ambiguous_credentials, sign_in_again, last_admin. Codes never change; later versions may add others. */
            code: "insufficient_permission" | "rate_limited" | "invalid_query" | "body_too_large" | "malformed_json" | "validation_failed" | "not_found" | "server_error" | "invalid_session" | "ambiguous_credentials" | "sign_in_again" | "last_admin" | (string & {});
            /** @description Id of the request, as in `X-Request-Id`. */
            request_id: string;
            /** @description All field errors. */
            errors?: {
                /** @description JSON Pointer (RFC 6901) to the field in the request body. */
                pointer: string;
                /** @description Code of the field error. Codes never change; later versions may add others. */
                code: "required" | "invalid_type" | "invalid_format" | "too_long" | "too_small" | "too_large" | "card_number" | "api_key" | "rotated" | "disabled" | (string & {});
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
         * @description UUID of the acquirer as which the person acts. Pages of other origins cannot send it.
         * @example 5f0c2f54-8d8f-4f0e-9f1f-6f3f0d1c2b11
         */
        "Acting-As": string;
        /** @description The person acts as no acquirer. Pages of other origins cannot send it. */
        "Acting-As-None": "none";
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
        /** @description URL of the created resource. */
        Location: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            person: {
                                /** Format: uuid */
                                id: string;
                                name: string;
                                email: string | null;
                            };
                            /** @description The acquirers as which the person may act, by name. */
                            acquirers: {
                                /**
                                 * Format: uuid
                                 * @description UUID of the acquirer: send it as `Acting-As`.
                                 */
                                id: string;
                                /** @enum {string} */
                                type: "DISTRIBUTOR" | "PAYMENT_PROVIDER";
                                name: string;
                                /**
                                 * @description What the person may do as this acquirer.
                                 * @enum {string}
                                 */
                                role: "viewer" | "operator" | "admin";
                                /** @description What the role permits. */
                                permissions: ("read" | "change" | "delete" | "check_members" | "administer")[];
                            }[];
                            /**
                             * Format: date-time
                             * @description When the person last signed in at the issuer; `null` if it does not say.
                             */
                            authenticated_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the session ends at the latest (RFC 3339, UTC). It ends after 30 minutes without use.
                             */
                            ends_at: string;
                        };
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
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
    signOut: {
        parameters: {
            query?: {
                /** @description With `true`, all sessions of the person end. */
                everywhere?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: uuid */
                            person: string;
                        };
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Invalid query parameter; Ambiguous credentials; Server error */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Missing or invalid session */
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
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error */
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
            /** @description Missing or invalid session */
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
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Your name for the key. It is in events and logs. */
                    label: string;
                    /** @description What the key may do. */
                    role: string;
                };
            };
        };
        responses: {
            /** @description The key was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedApiKey"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error; Body too large; Malformed JSON */
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
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
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
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the key to replace. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: int32
                     * @description For how many more hours the earlier key works.
                     */
                    overlap_hours: number;
                };
            };
        };
        responses: {
            /** @description The successor was created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RotatedApiKey"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error; Body too large; Malformed JSON */
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
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
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
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key was revoked. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            key_id: string;
                        };
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error */
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
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
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
    listPeople: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description People and invitations. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["People"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error */
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
            /** @description Missing or invalid session */
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
    invitePerson: {
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
                     * Format: email
                     * @description The address that the invited person must have. Capitals do not matter.
                     */
                    email: string;
                    /** @description What the person may do. */
                    role: string;
                };
            };
        };
        responses: {
            /** @description The invitation was made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedInvitation"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error; Body too large; Malformed JSON */
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
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
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
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the invitation. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation was revoked. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: uuid */
                            id: string;
                        };
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Ambiguous credentials; Server error */
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
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
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
    removePerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the person. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The person was removed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: uuid */
                            id: string;
                        };
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Last admin; Ambiguous credentials; Server error */
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
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
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
    changePerson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description UUID of the person. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What the person may do. */
                    role: string;
                };
            };
        };
        responses: {
            /** @description The role was changed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Person"];
                        /** @description Unknown fields and query parameters, which were ignored, and what the response may lack. Absent if there are none. */
                        warnings?: (components["schemas"]["FieldWarning"] | components["schemas"]["ParameterWarning"])[];
                    };
                };
            };
            /** @description Last admin; Ambiguous credentials; Server error; Body too large; Malformed JSON */
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
            /** @description Missing or invalid session */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Insufficient permission; Sign in again */
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
