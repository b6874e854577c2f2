/** The text before the operations of the OpenAPI document. */
export const introduction = `The control plane of a container registry. It manages who can pull and push images, what \
each tag points to and has ever pointed to, and which vulnerabilities the images have. It stores an event for every \
change.

Send \`Authorization: Bearer <token>\` with a call. The token is an access token of the issuer. You can also send \
an OIDC token of another issuer. Its audience must be the \`platform_api_audience\` of the \
issuer's discovery document, and the \`claimMatch\` of an identity must contain exactly the issuer and the subject of \
the token.

- **Names.** A \`uid\` is the path of a resource and contains slashes. In a URL, write the slashes as they are or as \
\`%2F\`.
- **JSON.** Field names are in camelCase. In queries and bodies, you can also use snake_case. 64-bit integers are \
strings. Times are in RFC 3339, in UTC, with milliseconds. Responses contain numbers and booleans even if they are 0 \
or \`false\`. Responses leave out empty strings, lists and objects. A call that creates a resource ignores unknown keys.
- **Lists.** A page has \`pageSize\` rows: 50 by default, and at most 200. Send \`nextPageToken\` as the \
\`pageToken\` of the next request. \`uidp.descendantsOf\` and the other \`uidp\` filters limit a list to a part of \
the hierarchy, such as everything below one group. Without such a filter, a list contains everything that you can see.
- **Updates.** A PATCH changes the fields that \`updateMask\` names. Without a mask, it changes each field that is in \
its body.
- **Etags.** A GET returns an \`etag\`. Send it as \`If-None-Match\` to get 304 if nothing has changed. Send it as \
\`If-Match\` with a PATCH or a DELETE that must not overwrite the change of someone else.
- **Checks.** If \`validateOnly\` is \`true\`, a call checks everything and writes nothing.
- **Errors.** An error is a google.rpc.Status. Branch on its \`code\` and \`details\`.
- **Request ids.** Every response has an id in the header \`x-request-id\`. Errors and the logs of the platform repeat \
it. You can send your own id of 1 to 128 letters, digits and \`._:+/=-\` in the same header.
- **Repeated calls.** A POST of version 2 takes the header \`Idempotency-Key\`. Calls with one key and the same \
request take effect once in 24 hours, and have the same answer. Answers that are given again have the header \
\`idempotency-replayed\`.
- **Bookmarks.** If responses have the header \`x-d1-bookmark\`, send it with your next call. A read then sees \
everything that the response has shown.
- **Other transports.** The same operations are available over gRPC, gRPC-Web and Connect. Each operation shows its \
gRPC name.

Version 1 is still available, with the same data as version 2. Its operations are at the end of this document. \
The former name of version 2 is \`v2beta1\`. Paths and gRPC names with that name also work, but this document does \
not list them.

## Differences from the original's documents

The *original* is the API that this platform implements. Another company designed it.

| | The original | This document |
| --- | --- | --- |
| Version of OpenAPI | 3.0.3, one document for each version | 3.1, one document for both versions, sign-in, SCIM and the registry host |
| \`operationId\` | its own ids | the name of the RPC, such as \`listRepos\`; in version 1, the names of the service and the RPC, such as \`v1RegistryListRepos\` |
| Names of schemas | its own names | the names of the messages, with \`V1\` at the end in version 1, and \`Input\` or \`Patch\` at the end for bodies |
| Values of an enum | as the original lists them | strings, with descriptions in \`x-enumDescriptions\` and without the unspecified value (\`…_UNSPECIFIED\`) |
| Bodies | \`*/*\` | \`application/json\`; any other type is also read as JSON |
| \`updateMask\` of a PATCH | not listed | a query parameter |
| Lists of messages in a query | not listed, and not accepted | a key that you repeat, with JSON or a text such as \`repo:tag\` as its value |
| Errors | one response, \`default\` | a response for each possible status, with examples |
| Paths that create a group | the parent is required | the parent is optional; without it, the call creates an organization |
| The paths \`/actions\`, \`/apk\`, \`/argos\`, \`/image-recommendation\`, \`/packages\`, \`/policies\` and \`/skills\` | part of version 1 | not listed |`;
