/** `GET /oauth`, the page of the issuer where people log in. */
import type { JsonObject } from "@bufbuild/protobuf";
import { content, type OperationObject, type ResponseObject } from "../form.ts";

/** Returns a query parameter. */
export const queryParameterObject = (
  name: string,
  description: string,
  schema: JsonObject = { type: "string" },
) => ({
  name,
  in: "query",
  description,
  schema,
});

const page = (description: string): ResponseObject => ({
  description,
  content: content({ type: "string" }, {}, "text/html"),
});

/** The operation that starts a login in a browser. */
export const startLoginOperation: OperationObject = {
  operationId: "startLogin",
  summary: "Sign in with a browser",
  description:
    "Starts a login. Open this URL in a browser. It redirects the person to their identity provider. After " +
    "the login, it redirects them to `redirect`, with `token` and possibly `refresh_token` in the query. " +
    "A failed login also redirects there, with `error` and `status_code`. If `redirect` is missing or not valid, a " +
    "page shows the error.",
  tags: ["SigningIn"],
  parameters: [
    {
      ...queryParameterObject(
        "idp_id",
        "The uid of the identity provider. If the organization has only one provider, it can also be the uid or the " +
          "verified name of the organization.",
      ),
      required: true,
      example: "example.com",
    },
    queryParameterObject(
      "redirect",
      "The URL that receives the tokens: an `http` address of the local machine at any port, or an address of the " +
        "platform. Without it, a page says that the login has succeeded.",
    ),
    queryParameterObject(
      "exit",
      "Has no effect. It can be `redirect`, if you also send the parameter `redirect`.",
      {
        type: "string",
        enum: ["redirect"],
      },
    ),
    queryParameterObject(
      "audience",
      "The audiences of the token, separated by commas. The default is the API.",
    ),
    {
      ...queryParameterObject(
        "scope",
        "The groups that the token is limited to: their uids or verified names.",
        {
          type: "array",
          items: { type: "string", maxLength: 1024 },
          maxItems: 20,
        },
      ),
      style: "form",
      explode: true,
    },
    queryParameterObject(
      "identity",
      "The uid of the identity to log in as. Its `claimMatch` must accept a token of this issuer with the person's uid " +
        "as the subject.",
    ),
    queryParameterObject(
      "create_refresh_token",
      "Whether to create a refresh token. Each refresh token works only once.",
      {
        type: "string",
        enum: ["true", "false"],
      },
    ),
    queryParameterObject(
      "headless_code",
      "The X25519 public key of a program on another machine: 32 bytes in base64url. The program fetches " +
        "its token with `getHeadlessSession`. Do not send it together with `redirect`.",
    ),
    queryParameterObject(
      "invite",
      "The code of an invite to the group of the identity provider or a group below it. A page shows the invite, and asks whether to accept it.",
    ),
  ],
  responses: {
    200: page(
      "A page that asks the person to confirm that they started the program on the other machine.",
    ),
    302: {
      description: "A redirect to the identity provider.",
      headers: {
        location: { description: "The URL of the redirect.", schema: { type: "string" } },
      },
    },
    303: {
      description: "A redirect to `redirect`, with the error.",
      headers: {
        location: { description: "The URL of the redirect.", schema: { type: "string" } },
      },
    },
    400: page("A page that says which parameter is not valid."),
    404: page("A page that says that the account does not exist."),
    500: page("A page that says that the platform has an error, which the operator has to fix."),
    503: page("A page that says that the identity provider or the database does not respond."),
  },
  security: [],
};
