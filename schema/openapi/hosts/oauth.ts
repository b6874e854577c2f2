/** The endpoints of OAuth at the issuer, for programs on the machine of a person (src/issuer/oauth). */
import type { JsonObject } from "@bufbuild/protobuf";
import { content, type OperationObject, type ResponseObject, ref } from "../form.ts";

const text = (description: string, more: JsonObject = {}): JsonObject => ({
  type: "string",
  description,
  ...more,
});

/** The schemas by name. */
export const oauthSchemas: Record<string, JsonObject> = {
  OAuthError: {
    type: "object",
    description: "An error of OAuth (RFC 6749 section 5.2).",
    properties: {
      error: text("The code, such as `invalid_grant`."),
      error_description: text("What to change."),
    },
    required: ["error", "error_description"],
  },
  OAuthTokens: {
    type: "object",
    description: "The tokens of a program (RFC 6749 section 5.1).",
    properties: {
      access_token: text("The access token. Its audience is the API."),
      token_type: text("How to send it.", { const: "Bearer" }),
      expires_in: { type: "integer", description: "The lifetime in seconds: at most an hour." },
      scope: text("The scopes, separated by spaces: `read`, or `read write`."),
      refresh_token: text(
        "The next refresh token. Absent if roles of the person come from groups.",
      ),
    },
    required: ["access_token", "token_type", "expires_in", "scope"],
  },
  OAuthClient: {
    type: "object",
    description: "A program, as it registers (RFC 7591). The response also contains its id.",
    properties: {
      client_id: text("The id of the program. Only in responses."),
      client_id_issued_at: { type: "integer", description: "When it was issued, in seconds." },
      client_name: text("The name that people see when they log in: at most 100 characters."),
      redirect_uris: {
        type: "array",
        description: "`http` URLs of the same machine: at most 8. Others are left out.",
        items: { type: "string", format: "uri", maxLength: 256 },
      },
    },
    required: ["redirect_uris"],
  },
};

const refused: ResponseObject = {
  description: "The request breaks a rule of OAuth.",
  content: content(ref("schemas", "OAuthError")),
};

const form = (properties: JsonObject, required: string[]): JsonObject => ({
  required: true,
  content: content(
    { type: "object", properties, required },
    {},
    "application/x-www-form-urlencoded",
  ),
});

/** `POST /oauth/token`. */
export const issueTokensOperation: OperationObject = {
  operationId: "issueTokens",
  summary: "Issue tokens",
  description:
    "Exchanges an authorization code, or a refresh token of a program, for an access token (OAuth 2.1). Each code and " +
    "each refresh token works once. A second use ends all tokens of the login.",
  tags: ["SigningIn"],
  requestBody: form(
    {
      grant_type: text("The grant.", { enum: ["authorization_code", "refresh_token"] }),
      client_id: text("The id of the program."),
      code: text("The code, which works for a minute."),
      redirect_uri: text("The redirect URI of the authorization."),
      code_verifier: text("The verifier of PKCE (RFC 7636)."),
      refresh_token: text("The refresh token."),
      resource: text("The URL of the API or of an MCP endpoint (RFC 8707)."),
    },
    ["grant_type", "client_id"],
  ),
  responses: {
    200: { description: "The tokens.", content: content(ref("schemas", "OAuthTokens")) },
    400: refused,
  },
  security: [],
};

/** `POST /oauth/register`. */
export const registerClientOperation: OperationObject = {
  operationId: "registerClient",
  summary: "Register a program",
  description:
    "Registers a program on the machine of a person (RFC 7591). The program has no secret, and the issuer stores " +
    "nothing. A code is only ever sent to the same machine.",
  tags: ["SigningIn"],
  requestBody: { required: true, content: content(ref("schemas", "OAuthClient")) },
  responses: {
    201: {
      description: "The program with its id.",
      content: content(ref("schemas", "OAuthClient")),
    },
    400: refused,
  },
  security: [],
};
