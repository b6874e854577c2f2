/** The text before the operations of the OpenAPI document. */
export const introduction = `The control plane of a container registry. It manages who can pull and push images, what \
each tag points to and has ever pointed to, and which vulnerabilities the images have. It sends an event for every \
change.

Send \`Authorization: Bearer <token>\` with a call. The token is an access token of the issuer. You can also send \
an OIDC token of another issuer, if an identity's \`claimMatch\` has exactly its issuer and subject, and the API is \
its audience.

- **Names.** A \`uid\` is the path of a resource and contains slashes. In a URL, write them as they are or as \`%2F\`.
- **JSON.** Field names are in camelCase. Queries and bodies can also have them in snake_case. 64-bit integers are \
strings. Times are in RFC 3339, in UTC, with milliseconds. Responses always contain numbers and booleans, and leave \
out empty strings, lists and objects. A create ignores unknown keys.
- **Lists.** A page has \`pageSize\` rows: 50 by default, and at most 200. Send \`nextPageToken\` as the \
\`pageToken\` of the next request. \`uidp.descendantsOf\` and the other \`uidp\` filters limit a list to a scope. \
Without such a filter, the list covers everything that you can see.
- **Updates.** A PATCH changes the fields that \`updateMask\` names. Without a mask, it changes the keys of its body.
- **Errors.** An error is a google.rpc.Status. Branch on its \`code\` and \`details\`.
- **Other transports.** The same operations are available over gRPC, gRPC-Web and Connect, by the gRPC name that each \
operation shows.

Version 1 is still available, with the same data as version 2. Its operations are at the end of this document. \
Paths and gRPC names with \`v2beta1\`, the former name of version 2, also work. They are not listed.

## Differences from the original's documents

| | The original | This document |
| --- | --- | --- |
| Version of OpenAPI | 3.0.3, one document for each version | 3.1, one document for both versions, sign-in, SCIM and the registry host |
| \`operationId\` | its own ids | the name of the RPC, such as \`listRepos\`; in version 1 with the service, such as \`v1RegistryListRepos\` |
| Names of schemas | its own names | the names of the messages; they end in \`V1\` in version 1, and in \`Input\` or \`Patch\` for bodies |
| Values of an enum | as the original lists them | strings, with descriptions in \`x-enumDescriptions\` and without the unspecified value (\`…_UNSPECIFIED\`) |
| Bodies | \`*/*\` | \`application/json\`; any other type is also read as JSON |
| \`updateMask\` of a PATCH | not listed | a query parameter |
| Lists of messages in a query | not listed, and not readable | repeated keys with JSON, or with texts such as \`repo:tag\` |
| Errors | \`default\` | each possible status, with examples |
| Paths with a parent | the parent is required | without a parent, the call creates an organization |
| Not here, because the specification leaves them out | domains of version 1 | \`/actions\`, \`/apk\`, \`/argos\`, \`/image-recommendation\`, \`/packages\`, \`/policies\`, \`/skills\` |`;
