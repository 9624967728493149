# std-serve as a container; docs/service.md shows how to run it.
FROM python:3.13-slim
COPY . /src
RUN pip install --no-cache-dir '/src[serve,espeak]' && rm -r /src && useradd --create-home --uid 1000 std
USER 1000
EXPOSE 8000
ENTRYPOINT ["std-serve", "--host", "0.0.0.0"]
