// A tiny shop with a sign-in. It accepts any name and email without a password; a real site must check one.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Visitors } from './visitors.ts';

interface Session {
  name: string;
  email: string;
  /** The contact token that the visitor's pages pass to the widget. */
  token: string;
}

const files = new Map(
  [
    ['/site.js', 'text/javascript'],
    ['/site.css', 'text/css'],
  ].map(([path, type]) => [path, { type, content: readFileSync(new URL(`public${path}`, import.meta.url)) }]),
);

export function createSite({ visitors, widgetUrl }: { visitors: Visitors; widgetUrl: string }): Server {
  const sessions = new Map<string, Session>();
  const service = new URL(widgetUrl).origin;
  // The widget needs the service in script-src and connect-src, and nothing inline.
  const policy = `default-src 'self'; script-src 'self' ${service}; connect-src 'self' ${service}; object-src 'none'`;

  const signIn = async (request: IncomingMessage, response: ServerResponse) => {
    const form = new URLSearchParams(await text(request));
    const [name, email] = [form.get('name') ?? '', form.get('email') ?? ''];
    await visitors.save({ name, email });
    const id = randomUUID();
    sessions.set(id, { name, email, token: await visitors.mintToken(email) });
    redirect(response, { 'set-cookie': `session=${id}; HttpOnly; SameSite=Lax; Path=/` });
  };

  const signOut = async (request: IncomingMessage, response: ServerResponse) => {
    const id = sessionIdOf(request);
    const session = sessions.get(id);
    sessions.delete(id);
    if (session !== undefined) await visitors.revokeToken(session.token);
    redirect(response, { 'set-cookie': 'session=; Max-Age=0; Path=/' });
  };

  /** The widget calls this, through site.js, when its token has expired or was revoked. */
  const renewToken = async (request: IncomingMessage, response: ServerResponse) => {
    const session = sessions.get(sessionIdOf(request));
    if (session !== undefined) session.token = await visitors.mintToken(session.email);
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify({ token: session?.token ?? null }));
  };

  const showPage = (request: IncomingMessage, response: ServerResponse) => {
    // The page contains the token, so no cache may serve it to another visitor.
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': policy,
    });
    response.end(pageOf(sessions.get(sessionIdOf(request)), widgetUrl));
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    const file = files.get(path);
    const post = { '/sign-in': signIn, '/sign-out': signOut, '/roster-token': renewToken }[path];
    if (request.method === 'POST' && post !== undefined) await post(request, response);
    else if (file !== undefined) response.writeHead(200, { 'content-type': file.type }).end(file.content);
    else showPage(request, response);
  };

  return createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      console.error(error.message);
      response.writeHead(502).end('Sorry, that did not work.');
    });
  });
}

function pageOf(session: Session | undefined, widgetUrl: string): string {
  const account =
    session === undefined
      ? `<p>You are a guest. Open the panel in the corner, then sign in and open it again.</p>
         <form method="post" action="/sign-in">
           <label>Name <input name="name" required maxlength="256" value="Jane Doe"></label>
           <label>Email <input name="email" type="email" required value="jane@example.com"></label>
           <button>Sign in</button>
         </form>`
      : `<p>You are signed in as <strong>${escapeHtml(session.name)}</strong>. <a href="/another-page">Another page</a></p>
         <form method="post" action="/sign-out"><button>Sign out</button></form>`;
  return `<!doctype html>
<html lang="en" data-roster-token="${escapeHtml(session?.token ?? '')}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Northwind Coffee</title>
  <link rel="stylesheet" href="/site.css">
  <script src="/site.js"></script>
  <script async src="${escapeHtml(widgetUrl)}"></script>
</head>
<body>
  <h1>Northwind Coffee</h1>
  ${account}
  <h2>Events of the widget</h2>
  <ol id="events"></ol>
</body>
</html>`;
}

function redirect(response: ServerResponse, headers: Record<string, string>): void {
  response.writeHead(303, { location: '/', ...headers }).end();
}

function sessionIdOf(request: IncomingMessage): string {
  return /(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
}

function escapeHtml(value: string): string {
  return value.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
