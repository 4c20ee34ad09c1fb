// Closes a connection whose request is not read to its end. A close with unread bytes resets the connection, and the
// client, still sending, loses the answer that says why. So we send the answer and our end of the connection, and
// discard what the client sends until it has seen both. RFC 9112, 9.6.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

/** What Node keeps of the request and the answer that a connection is busy with; its own handlers look there too. */
export type HttpSocket = Socket & {
  _httpMessage?: ServerResponse | null;
  parser?: { incoming?: IncomingMessage | null } | null;
  _handle?: { reading: boolean; readStart(): void } | null;
};

/** Makes Node's own close after an answer with `Connection: close` a lingering one where it has to be. */
export function lingerOnClose(server: Server, ms: number): void {
  server.on('connection', (socket: HttpSocket) => {
    socket.destroySoon = () => {
      if (socket.parser?.incoming?.complete === false) endLingering(socket, ms);
      else Object.getPrototypeOf(socket).destroySoon.call(socket);
    };
  });
}

/** Nothing that arrives from now on is taken for a request, and whoever is not done after `ms` is cut off. */
export function endLingering(socket: HttpSocket, ms: number, lastBytes = ''): void {
  if (socket.destroyed || socket.writableEnded) return;
  socket.removeAllListeners('data');
  socket.on('data', () => {}).resume();
  // Node stops the handle of a connection whose body nobody reads, and would then not notice its end: the handle is started again.
  // `reading` says so to the stream, which would otherwise start it a second time and take the error for the connection's end.
  if (socket._handle) {
    socket._handle.reading = true;
    socket._handle.readStart();
  }
  socket.end(lastBytes);
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  socket.once('close', () => clearTimeout(timer));
}
