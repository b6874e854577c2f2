/** The responses of the issuer, except those of its RPCs. */
import type { JsonObject } from "@bufbuild/protobuf";

const strings = (description: string): JsonObject => ({
  type: "array",
  description,
  items: { type: "string" },
});

const address = (description: string): JsonObject => ({
  type: "string",
  format: "uri",
  description,
});

const discoveryProperties: JsonObject = {
  issuer: address("The `iss` claim of the issuer's tokens."),
  jwks_uri: address("The URL of the issuer's keys."),
  authorization_endpoint: address("The URL where a person lets a program act as them (OAuth 2.1)."),
  device_authorization_endpoint: address(
    "The URL where a program on a machine without a browser gets a code (RFC 8628).",
  ),
  token_endpoint: address(
    "The URL that exchanges codes and refresh tokens of programs, and tokens of other issuers (RFC 8693), for tokens.",
  ),
  registration_endpoint: address("The URL where a program registers (RFC 7591)."),
  response_types_supported: strings("The response types. All tokens of the issuer are ID tokens."),
  response_modes_supported: strings("How a program gets its code."),
  grant_types_supported: strings("The grants that the token endpoint accepts."),
  token_endpoint_auth_methods_supported: strings("Programs have no client secret."),
  code_challenge_methods_supported: strings("The PKCE methods. PKCE is required."),
  authorization_response_iss_parameter_supported: {
    type: "boolean",
    description: "Whether a response to a program contains the issuer (RFC 9207).",
  },
  scopes_supported: strings("The scopes: a token that only reads, or one that can also write."),
  subject_types_supported: strings("The subject types. A subject is the same for every client."),
  id_token_signing_alg_values_supported: strings("The algorithms of the issuer's keys."),
  claims_supported: strings("The claims that a token can have."),
  revocation_endpoint: address("The URL that revokes refresh tokens."),
  revocation_endpoint_auth_methods_supported: strings(
    "The authentication methods for revoking. The issuer requires no client secret.",
  ),
  platform_login_url: address("The URL where people sign in."),
  platform_token_exchange_url: address(
    "The URL that exchanges tokens of other issuers for tokens of this issuer.",
  ),
  platform_token_refresh_url: address("The URL that exchanges refresh tokens for access tokens."),
  platform_api_url: address("The URL of the API."),
  platform_api_audience: { type: "string", description: "The audience of tokens for the API." },
  platform_registry_url: address("The URL of the registry."),
  platform_registry_audience: {
    type: "string",
    description: "The audience of tokens for the registry.",
  },
  platform_registry_vendor: {
    type: "string",
    description: "The vendor name. Paths of the Tag History API contain it after an underscore.",
  },
};

/** The schemas by name. */
export const issuerSchemas: Record<string, JsonObject> = {
  Discovery: {
    type: "object",
    description: "The metadata of an issuer (OpenID Connect Discovery 1.0).",
    properties: discoveryProperties,
    required: Object.keys(discoveryProperties),
  },
  Keys: {
    type: "object",
    description: "A JSON Web Key Set (RFC 7517).",
    properties: {
      keys: {
        type: "array",
        items: {
          type: "object",
          description: "A public key.",
          properties: {
            kty: {
              type: "string",
              description: "The type of the key, which is the family of its algorithm.",
            },
            kid: { type: "string", description: "The id of the key in the header of a token." },
            alg: { type: "string", description: "The algorithm of the key." },
            use: { type: "string", const: "sig", description: "The use of the key: signatures." },
          },
          required: ["kty", "kid"],
          additionalProperties: { type: "string" },
        },
      },
    },
    required: ["keys"],
  },
};
