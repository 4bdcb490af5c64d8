# The server in a container. `compose.yaml` shows it with PostgreSQL and Open WebUI.
FROM node:22-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY test/tools/package.json test/tools/package.json
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json LICENSE ./
COPY scripts scripts
COPY src src
COPY examples/lemonade-stand examples/lemonade-stand
# What only tests and other machines need is left behind: this Node has an SQLite of its own.
RUN npm run build && npm pkg delete workspaces devDependencies optionalDependencies peerDependencies peerDependenciesMeta && \
  npm install --no-save --ignore-scripts pg@8.23.1

FROM node:22-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY examples/project-chat.json examples/project-chat.json
COPY examples/lemonade-stand examples/lemonade-stand
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 4170
ENV THROUGHLINE_HOST=0.0.0.0 THROUGHLINE_PORT=4170
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4170/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
WORKDIR /data
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["serve"]
