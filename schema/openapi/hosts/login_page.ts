/** `GET /oauth`, the page of the issuer that people come in by. */
import type { JsonObject } from "@bufbuild/protobuf";
import { content, type OperationObject, type ResponseObject } from "../form.ts";

/** A parameter of the query. */
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

/** Where a login in a browser begins. */
export const startLoginOperation: OperationObject = {
  operationId: "startLogin",
  summary: "Sign in with a browser",
  description:
    "To be opened in a browser: sends the person on to their identity provider and, when they come " +
    "back, to `redirect` with `token` and perhaps `refresh_token` in the query, or with `error` and " +
    "`status_code`. What is wrong is told to `redirect` too, once that itself is known to be good.",
  tags: ["SigningIn"],
  parameters: [
    {
      ...queryParameterObject(
        "idp_id",
        "The uid of the identity provider; or the uid, or the verified name, of its organization " +
          "where that has one provider only.",
      ),
      required: true,
      example: "example.com",
    },
    queryParameterObject(
      "redirect",
      "Who gets the tokens: an `http` address of this very machine at any port, or one of the " +
        "platform. Without it a page says that the login is done.",
    ),
    queryParameterObject("exit", "May stand beside `redirect`.", {
      type: "string",
      enum: ["redirect"],
    }),
    queryParameterObject(
      "audience",
      "What the token is for, separated by commas. Default: the API.",
    ),
    {
      ...queryParameterObject("scope", "Groups to narrow the token to, by uid or verified name.", {
        type: "array",
        items: { type: "string", maxLength: 1024 },
        maxItems: 20,
      }),
      style: "form",
      explode: true,
    },
    queryParameterObject("identity", "The uid of the identity to be, if it names the person."),
    queryParameterObject("create_refresh_token", "Asks for a refresh token, which works once.", {
      type: "string",
      enum: ["true", "false"],
    }),
    queryParameterObject(
      "headless_code",
      "An X25519 public key, 32 bytes in base64url, of a program elsewhere, which fetches its token " +
        "by `getHeadlessSession`. Goes without `redirect`.",
    ),
    queryParameterObject(
      "invite",
      "The code of an invite into that group or below, accepted with the login.",
    ),
  ],
  responses: {
    200: page("A page that asks whether the program elsewhere is really the reader's own."),
    302: {
      description: "To the identity provider.",
      headers: { location: { description: "Where to go on.", schema: { type: "string" } } },
    },
    303: {
      description: "To `redirect`, with what is wrong.",
      headers: { location: { description: "Where to go on.", schema: { type: "string" } } },
    },
    400: page("A page that says what cannot be read."),
    404: page("A page that says that there is no such account."),
    500: page("A page that says that this is ours to mend."),
    503: page("A page that says that the identity provider, or the database, does not answer."),
  },
  security: [],
};
