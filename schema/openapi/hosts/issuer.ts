/**
 * The endpoints of the issuer that are not RPCs: discovery, keys, and the login in a browser (src/issuer).
 * Written by hand.
 */
import type { JsonObject } from "@bufbuild/protobuf";
import { type Chapter, content, type OperationObject, type ResponseObject, ref } from "../form.ts";
import { unavailableText } from "../refusals.ts";
import { sample } from "../sample.ts";
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
        {
          "@type": "type.googleapis.com/google.rpc.RequestInfo",
          requestId: sample.requestId,
        },
      ],
    },
  }),
});

const internal = refusal("INTERNAL: an error in the platform. The operator has to fix it.", {
  code: 13,
  reason: "INTERNAL",
  message: "Internal error",
});

const unavailable = refusal("UNAVAILABLE: the database does not respond.", {
  code: 14,
  reason: "DATABASE_UNAVAILABLE",
  message: unavailableText,
});

const discovery: OperationObject = {
  operationId: "getDiscovery",
  summary: "Get discovery document",
  description:
    "Returns the public metadata of the issuer (OpenID Connect Discovery 1.0, RFC 8414). The endpoints of OAuth serve " +
    "programs on the machine of a person. The members that begin with `platform_` contain the URLs for other tokens.",
  tags: ["SigningIn"],
  responses: {
    200: {
      description: "The document. You can cache it for five minutes.",
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
    authorization_endpoint: "https://issuer.example.com/oauth/authorize",
    device_authorization_endpoint: "https://issuer.example.com/oauth/device_authorization",
    token_endpoint: "https://issuer.example.com/oauth/token",
    registration_endpoint: "https://issuer.example.com/oauth/register",
    response_types_supported: ["code", "id_token"],
    response_modes_supported: ["query"],
    grant_types_supported: [
      ...["authorization_code", "refresh_token"],
      "urn:ietf:params:oauth:grant-type:device_code",
      "urn:ietf:params:oauth:grant-type:token-exchange",
      "urn:ietf:params:oauth:grant-type:jwt-bearer",
    ],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: ["read", "write"],
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
  description: "Returns the public keys for the tokens of the issuer (RFC 7517).",
  tags: ["SigningIn"],
  responses: {
    200: {
      description: "The keys. You can cache them for five minutes.",
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

const keysAsPem: OperationObject = {
  operationId: "getKeysAsPem",
  summary: "Get keys in PEM",
  description:
    "Returns the same public keys as `/.well-known/jwks.json` in PEM (RFC 7468), for clients that verify signed verdicts " +
    "about images. The first key signs.",
  tags: ["SigningIn"],
  responses: {
    200: {
      description: "The keys. You can cache them for five minutes.",
      content: {
        "application/x-pem-file": {
          schema: { type: "string" },
          example:
            "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWjpoDcQ6R50gzfMk6FgdIQ19byzS\nQAkkcxh2jcfPCZpl47s0NVlphxZo0n3A+7rntOmAnBSQ1tUezdjNONW3Og==\n-----END PUBLIC KEY-----\n",
        },
      },
    },
    500: internal,
  },
  security: [],
};

const revoke: OperationObject = {
  operationId: "revokeToken",
  summary: "Revoke refresh token",
  description:
    "Revokes a refresh token and all other refresh tokens of the same login (RFC 7009). Access tokens stay valid " +
    "until they expire, which is after an hour at most. The call succeeds for any token, even an unknown one.",
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
    200: { description: "The token no longer works. The body is empty." },
    400: refusal("INVALID_ARGUMENT: the form has more than 16 KiB.", {
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
  description: "Checks whether people can log in to a verified organization with that name.",
  tags: ["SigningIn"],
  parameters: [
    {
      ...queryParameterObject("name", "The verified name of the organization."),
      example: "example.com",
    },
  ],
  responses: {
    200: {
      description: "`true` if people can log in to the organization.",
      content: content({ type: "boolean" }, { example: true }),
    },
    500: internal,
    503: unavailable,
  },
  security: [],
};

/** The chapter about the issuer, without its RPCs. */
export const issuerChapter: Chapter = {
  tags: [
    {
      name: "SigningIn",
      title: "Signing in",
      description: "The issuer: its keys, and logins in a browser.",
      group: "Tokens",
    },
  ],
  paths: {
    "/oauth": { servers, get: startLoginOperation },
    "/oauth/revoke": { servers, post: revoke },
    "/orgcheck": { servers, get: checkOrganization },
    "/.well-known/openid-configuration": { servers, get: discovery },
    "/.well-known/jwks.json": { servers, get: keys },
    "/.well-known/jwks.pem": { servers, get: keysAsPem },
  },
  schemas: issuerSchemas,
};
