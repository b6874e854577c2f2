/** Posts the moves of tags to a chat. */
import { type EventOf, webhookHandler } from "platform-api/client/webhooks";

interface Env {
  /** The secret of the subscription. */
  WEBHOOK_SECRET: string;
  /** The address of an incoming webhook of Slack or Mattermost. It is a secret too, because it is enough to post. */
  CHAT_URL: string;
}

type TagMove = EventOf<
  "api.platform.registry.tag.created.v1" | "api.platform.registry.tag.updated.v1"
>;

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    const post = (event: TagMove) => postText(env.CHAT_URL, textOf(event));
    const handlers = {
      "api.platform.registry.tag.created.v1": post,
      "api.platform.registry.tag.updated.v1": post,
    };
    return webhookHandler({ secret: env.WEBHOOK_SECRET }, handlers)(request);
  },
};

function textOf({ subject, time, body: { name = "", digest } }: TagMove): string {
  const repo = subject.slice(0, subject.lastIndexOf("/"));
  const where = digest ? `now points to \`${digest}\`` : "does not point to an image yet";
  return `Tag \`${name}\` of repository \`${repo}\` ${where} (${time}).`;
}

/** Throws if the chat does not accept the text. The platform then delivers the event again. */
async function postText(url: string, text: string): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  });
  if (!response.ok) throw new Error(`the chat responded with ${response.status}`);
}
