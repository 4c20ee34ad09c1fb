// The baseline: node:http that answers every request with the same contact, and does nothing else.
import { createServer } from 'node:http';

const body = JSON.stringify({
  data: {
    id: 'con_a6f3k4u2b1z5m0q7c9d2x4h8e1r6t3w0y5',
    name: 'Jane Doe',
    email: 'jane@example.com',
    phone: '+1 (555) 010-0123',
    mid: '',
    wid: '+15550100123',
    createdAt: '2026-11-14T09:30:00.123Z',
    updatedAt: '2026-11-14T09:30:00.123Z',
  },
});
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };

const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  console.log(`listens on ${(server.address() as { port: number }).port}`);
});

process.on('message', () => process.send?.({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit());
