/**
 * A module around the platform that interferes with single requests. `x-fail-r2: N` makes the Nth call to R2
 * fail. `x-clean-before: N` runs the clean-up just before the Nth batch of D1, with everything that is idle
 * more than a day old.
 */
export const interference = `
import platform from "./platform.js";

function failing(bucket, at) {
  let calls = 0;
  const wrap = (target) => new Proxy(target, {
    get(object, name) {
      const value = object[name];
      if (typeof value !== "function") return value;
      return (...given) => {
        if (name === "resumeMultipartUpload") return wrap(value.apply(object, given));
        calls += 1;
        if (calls === at) return Promise.reject(new Error("R2 is down"));
        const result = value.apply(object, given);
        return name === "createMultipartUpload" ? result.then(wrap) : result;
      };
    },
  });
  return wrap(bucket);
}

function cleaning(db, at, clean) {
  let batches = 0;
  return {
    withSession(constraint) {
      const session = db.withSession(constraint);
      return {
        prepare: (query) => session.prepare(query),
        async batch(statements) {
          batches += 1;
          if (batches === at) await clean();
          return session.batch(statements);
        },
      };
    },
  };
}

export default {
  ...platform,
  fetch(request, env, execution) {
    const [fail, before] = ["x-fail-r2", "x-clean-before"].map((name) => Number(request.headers.get(name)));
    const clean = async () => {
      await env.DB.batch([
        env.DB.prepare("update blob_links set idle_time = idle_time - 90000000"),
        env.DB.prepare("update blobs set idle_time = idle_time - 90000000"),
      ]);
      await platform.scheduled({}, env, execution);
    };
    const changed = {
      ...env,
      ...(fail ? { BLOBS: failing(env.BLOBS, fail) } : {}),
      ...(before ? { DB: cleaning(env.DB, before, clean) } : {}),
    };
    return platform.fetch(request, changed, execution);
  },
};
`;
