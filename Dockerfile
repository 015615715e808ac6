# The command line in a container:
#
#   npm ci && npm run package && docker build --tag isolens .
#   docker run --rm --network none --volume "$PWD:/work:ro" isolens check .
FROM node:22-slim
COPY isolens-*.tgz /package/
RUN npm install --global --omit=optional /package/isolens-*.tgz && rm -rf /package ~/.npm
USER node
WORKDIR /work
# The folder is mounted to be read alone.
ENV ISOLENS_CACHE=off
ENTRYPOINT ["isolens"]
CMD ["check", "."]
