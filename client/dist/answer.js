/** Answers read: JSON, nothing, or the error that they tell. */
import { codeOf, codeOfStatus, toError, Unreachable } from "./errors.js";
/** Body or URL are too long: a thousand ids can be. */
const tooLong = [413, 414];
/** Statuses that a server in front of the platform makes as well, in words of its own. */
const proxied = [...tooLong, 429, 502, 503, 504];
/**
 * Reads an answer to the end. Throws the PlatformError that it tells, or Unreachable for what no
 * platform answers: a redirect, or something that is not JSON.
 */
export async function readAnswer(response, mayBeEmpty) {
    // A browser shows nothing of a redirect.
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
        throw redirected(response);
    }
    const text = await response.text();
    const json = parsed(text);
    if (!response.ok)
        throw toRefusal(response, json);
    if (json === undefined && (text !== "" || !mayBeEmpty))
        throw noPlatform(response);
    return { json: json ?? {}, headers: response.headers };
}
function redirected(response) {
    const to = response.headers.get("location");
    const target = to && URL.canParse(to, response.url) ? new URL(to, response.url).origin : "";
    const where = target === "" ? "elsewhere" : `to ${target}`;
    return new Unreachable(`${originOf(response)} redirects ${where}: give that address instead.`, {
        status: response.status,
    });
}
function noPlatform(response) {
    const type = response.headers.get("content-type")?.split(";")[0] ?? "nothing";
    const what = `answered ${response.status} with ${type} instead of JSON`;
    return new Unreachable(`${originOf(response)} ${what}: it is no platform.`, {
        status: response.status,
    });
}
const originOf = ({ url }) => (URL.canParse(url) ? new URL(url).origin : "The address");
function parsed(text) {
    try {
        const json = JSON.parse(text);
        if (typeof json === "object" && json !== null && !Array.isArray(json)) {
            return json;
        }
    }
    catch {
        // Not JSON, which the caller judges.
    }
    return undefined;
}
function toRefusal(response, json) {
    const { status } = response;
    const isKnown = json !== undefined && ("code" in json || Array.isArray(json.errors));
    if (!isKnown && !proxied.includes(status))
        return noPlatform(response);
    const told = json && "code" in json ? toldByStatus(json) : toldByRegistry(json, status);
    return toError({
        ...told,
        code: told.code ?? codeOfStatus(status),
        message: told.message || ownWords(response),
        status,
        retryAfter: waitOf(response.headers.get("retry-after")),
    });
}
function ownWords(response) {
    const { status, statusText } = response;
    const words = `${originOf(response)} answered ${status} ${statusText}`.trim();
    return tooLong.includes(status) ? `${words}: send less at once` : words;
}
/** A google.rpc.Status in JSON, or an error of the Connect protocol. */
function toldByStatus({ code, message, details }) {
    const found = Array.isArray(details) ? details : [];
    return {
        code: codeOf(code),
        message: typeof message === "string" ? message : "",
        details: found.map(toDetail),
    };
}
/** Connect tells a detail's type beside its value, which it has as JSON in `debug` only. */
function toDetail(detail) {
    if (typeof detail["@type"] === "string")
        return detail;
    const debug = (detail.debug ?? {});
    return { "@type": `type.googleapis.com/${detail.type}`, ...debug };
}
/** `{"errors": [{code, message}]}`, which the registry answers (OCI distribution specification). */
function toldByRegistry(json, status) {
    const [error] = (json?.errors ?? []);
    // Its 400 and 404 name what is wrong by codes of their own.
    const code = codeOfStatus(status);
    return { code, message: error?.message ?? "", ...(error?.code && { reason: error.code }) };
}
/** Milliseconds of a Retry-After header: seconds, or a date (RFC 9110 section 10.2.3). */
function waitOf(header) {
    if (header === null)
        return undefined;
    const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
    return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
/** The answer with the name that its types have, where the platform says its operator's. */
export function plainNames(operation, json, vendor) {
    const { vendorNamed, rows } = operation;
    if (vendorNamed === undefined)
        return json;
    const plain = ({ [vendor]: named, ...others }) => named === undefined ? others : { ...others, [vendorNamed]: named };
    if (rows === undefined)
        return plain(json);
    const found = json[rows];
    return Array.isArray(found) ? { ...json, [rows]: found.map(plain) } : json;
}
