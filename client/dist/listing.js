/** Lists that come in pages. */
import { PageTokenExpired } from "./errors.js";
/** Said with every request: some lists answer one that names no page with all rows, or not at all. */
const defaultPageSize = 50;
/** A list whose pages are asked for like that; `rows` is the member that holds them. */
export function listing(ask, request, rows) {
    const page = async (asked) => {
        const { json, headers } = await ask({ ...asked, pageSize: asked.pageSize || defaultPageSize });
        if (asked.pageToken && headers.get("page-token-expired") === "true") {
            throw new PageTokenExpired();
        }
        return toPage(json, rows);
    };
    async function* pages() {
        let asked = request;
        for (;;) {
            const found = await page(asked);
            yield found;
            if (!found.nextPageToken)
                return;
            // What was skipped is behind the token.
            const { skip: _, ...others } = asked;
            asked = { ...others, pageToken: found.nextPageToken };
        }
    }
    async function* every() {
        for await (const found of pages())
            yield* found.rows;
    }
    return {
        [Symbol.asyncIterator]: every,
        pages,
        page: () => page(request),
        async all(limit = Number.POSITIVE_INFINITY) {
            const found = [];
            if (limit <= 0)
                return found;
            for await (const row of every())
                if (found.push(row) >= limit)
                    break;
            return found;
        },
    };
}
function toPage(json, rows) {
    const { nextPageToken, totalCount, skipped } = json;
    return {
        rows: (json[rows] ?? []),
        ...(nextPageToken ? { nextPageToken: String(nextPageToken) } : {}),
        ...(totalCount === undefined ? {} : { totalCount: Number(totalCount) }),
        skipped: Number(skipped ?? 0),
    };
}
