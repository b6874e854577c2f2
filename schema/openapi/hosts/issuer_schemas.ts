/** What the issuer answers beside its RPCs. */
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
  issuer: address("The `iss` of its tokens."),
  jwks_uri: address("Its keys."),
  response_types_supported: strings("Tokens are ID tokens."),
  subject_types_supported: strings("Subjects are the same for everybody."),
  id_token_signing_alg_values_supported: strings("Algorithms of its keys."),
  claims_supported: strings("Claims that a token may have."),
  revocation_endpoint: address("Ends refresh tokens."),
  revocation_endpoint_auth_methods_supported: strings("It asks for no client's secret."),
  platform_login_url: address("Where people sign in."),
  platform_token_exchange_url: address("Turns tokens of others into tokens of this issuer."),
  platform_token_refresh_url: address("Turns refresh tokens into access tokens."),
  platform_api_url: address("The API."),
  platform_api_audience: { type: "string", description: "The audience of tokens for the API." },
  platform_registry_url: address("The registry."),
  platform_registry_audience: {
    type: "string",
    description: "The audience of tokens for the registry.",
  },
  platform_registry_vendor: {
    type: "string",
    description: "The operator's name, behind the underscore in the paths of the Tag History API.",
  },
};

/** By name. */
export const issuerSchemas: Record<string, JsonObject> = {
  Discovery: {
    type: "object",
    description: "What an issuer says of itself (OpenID Connect Discovery 1.0).",
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
            kty: { type: "string", description: "The family of the algorithm." },
            kid: { type: "string", description: "Its name in the header of a token." },
            alg: { type: "string", description: "The algorithm." },
            use: { type: "string", const: "sig", description: "It signs." },
          },
          required: ["kty", "kid"],
          additionalProperties: { type: "string" },
        },
      },
    },
    required: ["keys"],
  },
};
