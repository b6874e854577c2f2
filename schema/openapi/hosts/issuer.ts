/**
 * What the issuer serves beside its RPCs: discovery, keys, and the login in a browser (src/issuer).
 * Written by hand.
 */
import type { JsonObject } from "@bufbuild/protobuf";
import { type Chapter, content, type OperationObject, type ResponseObject, ref } from "../form.ts";
import { unavailableText } from "../refusals.ts";
import { issuerSchemas } from "./issuer_schemas.ts";
import { queryParameterObject, startLoginOperation } from "./login_page.ts";

const servers = [{ url: "https://issuer.example.com", description: "The issuer" }];

const refusal = (
  description: string,
  {
    code,
    reason,
    message,
    details = [],
  }: {
    code: number;
    reason: string;
    message: string;
    details?: JsonObject[];
  },
): ResponseObject => ({
  description,
  content: content(ref("schemas", "Status"), {
    [reason]: {
      code,
      message,
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason,
          domain: "oidc.platform.example",
        },
        ...details,
      ],
    },
  }),
});

const internal = refusal("INTERNAL: ours to mend.", {
  code: 13,
  reason: "INTERNAL",
  message: "Internal error",
});

const unavailable = refusal("UNAVAILABLE: the database does not answer.", {
  code: 14,
  reason: "DATABASE_UNAVAILABLE",
  message: unavailableText,
});

const discovery: OperationObject = {
  operationId: "getDiscovery",
  summary: "Get discovery document",
  description:
    "What everyone may know of this issuer (OpenID Connect Discovery 1.0). There is no token endpoint " +
    "in the sense of OAuth 2.0: the members that begin with `platform_` say where tokens come from.",
  tags: ["SigningIn"],
  responses: {
    200: {
      description: "The document. It may be kept for five minutes.",
      content: content(ref("schemas", "Discovery"), { example: discoveryExample() }),
    },
    500: internal,
  },
  security: [],
};

function discoveryExample(): JsonObject {
  return {
    issuer: "https://issuer.example.com",
    jwks_uri: "https://issuer.example.com/.well-known/jwks.json",
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    claims_supported: ["iss", "sub", "aud", "exp", "iat", "jti"],
    revocation_endpoint: "https://issuer.example.com/oauth/revoke",
    revocation_endpoint_auth_methods_supported: ["none"],
    platform_login_url: "https://issuer.example.com/oauth",
    platform_token_exchange_url: "https://issuer.example.com/sts/exchange",
    platform_token_refresh_url: "https://issuer.example.com/sts/exchange_refresh_token",
    platform_api_url: "https://api.example.com",
    platform_api_audience: "https://api.example.com",
    platform_registry_url: "https://registry.example.com",
    platform_registry_audience: "registry.example.com",
    platform_registry_vendor: "vendor",
  };
}

const keys: OperationObject = {
  operationId: "getKeys",
  summary: "Get keys",
  description:
    "The public half of every key that tokens of this issuer are signed with (RFC 7517).",
  tags: ["SigningIn"],
  responses: {
    200: {
      description: "The keys. They may be kept for five minutes.",
      content: content(ref("schemas", "Keys"), {
        example: {
          keys: [
            {
              kty: "EC",
              crv: "P-256",
              x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
              y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
              kid: "2026-01",
              alg: "ES256",
              use: "sig",
            },
          ],
        },
      }),
    },
    500: internal,
  },
  security: [],
};

const revoke: OperationObject = {
  operationId: "revokeToken",
  summary: "Revoke refresh token",
  description:
    "Ends a refresh token and all others of its login (RFC 7009). Access tokens live on for their " +
    "hour. Succeeds for any token, known or not.",
  tags: ["SigningIn"],
  requestBody: {
    required: true,
    content: content(
      {
        type: "object",
        properties: { token: { type: "string", description: "The refresh token." } },
        required: ["token"],
      },
      {},
      "application/x-www-form-urlencoded",
    ),
  },
  responses: {
    200: { description: "It works no more. The body is empty." },
    400: refusal("INVALID_ARGUMENT: a form of more than 16 KiB.", {
      code: 3,
      reason: "INVALID_ARGUMENT",
      message: "Invalid argument: body: the form must have at most 16384 bytes",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          fieldViolations: [
            { field: "body", description: "the form must have at most 16384 bytes" },
          ],
        },
      ],
    }),
    500: internal,
    503: unavailable,
  },
  security: [],
};

const checkOrganization: OperationObject = {
  operationId: "checkOrganization",
  summary: "Check organization",
  description: "Tells whether a verified organization of that name can be logged in to.",
  tags: ["SigningIn"],
  parameters: [{ ...queryParameterObject("name", "The verified name."), example: "example.com" }],
  responses: {
    200: {
      description: "`true` where it can.",
      content: content({ type: "boolean" }, { example: true }),
    },
    500: internal,
    503: unavailable,
  },
  security: [],
};

/** What the issuer serves beside its RPCs. */
export const issuerChapter: Chapter = {
  tags: [
    {
      name: "SigningIn",
      title: "Signing in",
      description: "The issuer: its keys, and how people come in with a browser.",
      group: "Tokens",
    },
  ],
  paths: {
    "/oauth": { servers, get: startLoginOperation },
    "/oauth/revoke": { servers, post: revoke },
    "/orgcheck": { servers, get: checkOrganization },
    "/.well-known/openid-configuration": { servers, get: discovery },
    "/.well-known/jwks.json": { servers, get: keys },
  },
  schemas: issuerSchemas,
};
