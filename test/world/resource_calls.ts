/** REST calls about one kind of resource, as most tests of a resource make them. */
import { callRest } from "./platform.ts";

/**
 * The calls of the resource at a path such as `/iam/v2/roles`. Each is made with the token that `tokenNow`
 * returns, or with the one that it gets.
 */
export function resourceCalls(path: string, tokenNow: () => string) {
  const at = (uid: string, query: string) => `${path}/${uid}${query}`;
  const sending =
    (method: string) =>
    (uid: string, body?: unknown, as = tokenNow(), query = "") =>
      callRest(at(uid, query), { method, token: as, body });
  const asking =
    (method: string) =>
    (uid: string, as = tokenNow()) =>
      callRest(at(uid, ""), { method, token: as });
  return {
    /** Creates one. The uid is that of its parent. */
    post: sending("POST"),
    patch: sending("PATCH"),
    put: sending("PUT"),
    get: asking("GET"),
    remove: asking("DELETE"),
    /** The query without its question mark. */
    list: (query = "", as = tokenNow()) => callRest(`${path}?${query}`, { token: as }),
  };
}

/** The fields that the BadRequest of an error names. */
export const violatedFields = (body: {
  details: { fieldViolations?: { field: string }[] }[];
}): string[] => body.details.flatMap((one) => one.fieldViolations ?? []).map(({ field }) => field);

/** The ids of the rows of a List of version 1. */
export const listedIds = ({ body }: { body: { items?: { id: string }[] } }): string[] =>
  (body.items ?? []).map(({ id }) => id);

/** The first of them. */
export const violatedField = (body: Parameters<typeof violatedFields>[0]): string | undefined =>
  violatedFields(body)[0];
