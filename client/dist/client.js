/** The client of a platform. */
import { addressOf } from "./address.js";
import { plainNames } from "./answer.js";
import { send } from "./connection.js";
import { operations } from "./gen/operations.js";
import { history } from "./history.js";
import { listing } from "./listing.js";
import { toHttp } from "./request.js";
import { connectionOf } from "./transport.js";
/** A client. It keeps no connection of its own and needs no closing. Throws a TypeError for bad options. */
export function createClient(options) {
    const base = addressOf(options.url, "url");
    const vendor = options.vendor ?? "vendor";
    const connection = { ...connectionOf(options), token: options.token };
    const registry = {
        base: options.registry?.url === undefined ? base : addressOf(options.registry.url, "registry.url"),
        vendor: options.registry?.vendor ?? vendor,
        connection: { ...connection, token: options.registry?.token },
    };
    const ask = async (operation, request, how = {}) => {
        const answer = await send(connection, toHttp(operation, request, base), how);
        return { ...answer, json: plainNames(operation, answer.json, vendor) };
    };
    const resources = {};
    for (const [name, operation] of Object.entries(operations)) {
        const [resource = "", method = ""] = name.split(".");
        resources[resource] ??= {};
        resources[resource][method] = methodOf(operation, ask);
    }
    return {
        ...resources,
        history: (image, how = {}) => history(registry, image, how),
        async call(name, request = {}, how = {}) {
            const operation = Object.hasOwn(operations, name)
                ? operations[name]
                : undefined;
            if (!operation)
                throw new TypeError(`there is no operation ${name}`);
            return (await ask(operation, request, how)).json;
        },
    };
}
/** The method of an operation, as its interface in gen/resources.ts has it. */
function methodOf(operation, ask) {
    const { body, rows = "", empty } = operation;
    const answer = async (request, options) => {
        const { json } = await ask(operation, request, options);
        return empty ? undefined : json;
    };
    switch (operation.form) {
        case "list":
            return (request = {}, options) => listing((asked) => ask(operation, asked, options), request, rows);
        case "get":
        case "delete":
            return (uid, options) => answer({ uid }, options);
        case "create":
            return async (parent, made, options) => {
                // Without one, a group would become an organization of its own.
                if (typeof parent !== "string")
                    throw new TypeError("parent must be a string");
                return answer({ parent, [body]: made }, options);
            };
        case "update":
            return (uid, changes, options = {}) => {
                const { updateMask } = options;
                const mask = updateMask === undefined ? {} : { updateMask };
                return answer({ [body]: { ...changes, uid }, ...mask }, options);
            };
        case "plain":
            return (request = {}, options) => answer(request, options);
    }
}
