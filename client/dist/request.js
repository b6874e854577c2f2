/** Members of the filter by place, which the client takes beside the others. */
const places = ["descendantsOf", "childrenOf", "ancestorsOf", "inRoot", "ids"];
/** The form of a uid, which stands in paths with its slashes. */
export const uidForm = /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/;
/**
 * Where and how the request is sent. Throws a TypeError for a member that the operation does not
 * take, and for a variable of the path that is missing.
 */
export function toHttp(operation, asked, base) {
    const request = placed(operation, asked);
    const name = operation.rpc.replace(/^.*\//, "");
    refuseStrangers(name, operation.fields, request);
    const path = pathOf(operation, request);
    const { verb, body } = operation;
    const whole = body === "*" ? withoutPath(operation, request) : undefined;
    const content = whole ?? (body === "" ? undefined : (withoutPath(operation, request)[body] ?? {}));
    const isRead = verb === "GET" || path === `/${operation.rpc}`;
    return {
        method: verb,
        url: `${base}${path}${body === "*" ? "" : queryOf(operation, request)}`,
        ...(content === undefined
            ? {}
            : { headers: { "content-type": "application/json" }, body: JSON.stringify(content) }),
        isSafe: isRead,
        isConditional: "etag" in request,
        mayBeEmpty: operation.empty ?? false,
    };
}
/**
 * The request with the filter by place in its member `uidp`, and its mask as one text. Throws a
 * TypeError for another place, and for a mask that names nothing.
 */
function placed({ fields }, { ...request }) {
    if (fields.includes("uidp")) {
        const uidp = { ...request.uidp };
        for (const name of places) {
            if (request[name] !== undefined && !fields.includes(name))
                uidp[name] = request[name];
            if (!fields.includes(name))
                delete request[name];
        }
        refuseStrangers("uidp", places, uidp);
        request.uidp = uidp;
    }
    if (Array.isArray(request.updateMask)) {
        // The platform takes an empty mask for none.
        if (request.updateMask.length === 0)
            throw new TypeError("updateMask names no field");
        request.updateMask = request.updateMask.join(",");
    }
    return request;
}
/** The platform overlooks members that it does not know: a typo would go unnoticed. */
function refuseStrangers(taker, fields, given) {
    const stranger = Object.keys(given).find((name) => !fields.includes(name));
    if (stranger === undefined)
        return;
    const known = fields.flatMap((name) => (name === "uidp" ? places : name)).join(", ");
    throw new TypeError(`${taker} takes no ${stranger}; it takes ${known || "nothing"}`);
}
const variable = /\{([^}]+)\}/g;
function pathOf({ path, verb }, request) {
    return path.replace(variable, (whole, name) => {
        const value = valueAt(request, name.split("."));
        // Without a parent a Create makes an organization.
        if (verb === "POST" && path.endsWith(whole) && (value ?? "") === "")
            return "";
        if (typeof value !== "string" || /^\.{0,2}$/.test(value)) {
            throw new TypeError(`${name} must be a string, and not empty`);
        }
        return uidForm.test(value) ? value : encodeURIComponent(value);
    });
}
function valueAt(json, [first, ...rest]) {
    if (first === undefined)
        return json;
    return typeof json === "object" && json !== null
        ? valueAt(json[first], rest)
        : undefined;
}
/** The request without what its path says. */
function withoutPath({ path }, request) {
    const names = [...path.matchAll(variable)].map(([, name = ""]) => name.split("."));
    return names.reduce(without, request);
}
function without(json, [first = "", ...rest]) {
    const { [first]: value, ...others } = json;
    if (rest.length === 0)
        return others;
    return { ...others, [first]: without((value ?? {}), rest) };
}
function queryOf(operation, request) {
    const { [operation.body]: _, ...others } = withoutPath(operation, request);
    const query = String(new URLSearchParams(pairsOf(others, "")));
    return query === "" ? "" : `?${query}`;
}
/**
 * Nested members with dots, lists as repeated keys. Throws a TypeError for an empty list or place:
 * the platform would take it for no filter, and answer all.
 */
function pairsOf(json, prefix) {
    return Object.entries(json).flatMap(([name, value]) => {
        const key = `${prefix}${name}`;
        if (value === undefined || value === null)
            return [];
        if (value instanceof Date)
            return [[key, value.toISOString()]];
        const isEmpty = Array.isArray(value) ? value.length === 0 : value === "" && prefix === "uidp.";
        if (isEmpty)
            throw new TypeError(`${key} is empty: leave it out to list without it`);
        if (Array.isArray(value))
            return value.map((one) => [key, String(one)]);
        if (typeof value === "object")
            return pairsOf(value, `${key}.`);
        return [[key, String(value)]];
    });
}
